import cn.ucloud.ufile.UfileClient;
import cn.ucloud.ufile.api.bucket.BucketApiBuilder;
import cn.ucloud.ufile.api.bucket.BucketType;
import cn.ucloud.ufile.api.object.ObjectApiBuilder;
import cn.ucloud.ufile.api.object.ObjectConfig;
import cn.ucloud.ufile.api.object.multi.MultiUploadInfo;
import cn.ucloud.ufile.api.object.multi.MultiUploadPartState;
import cn.ucloud.ufile.auth.ObjectDownloadAuthParam;
import cn.ucloud.ufile.auth.UfileBucketLocalAuthorization;
import cn.ucloud.ufile.auth.UfileObjectLocalAuthorization;
import cn.ucloud.ufile.bean.BucketDescribeResponse;
import cn.ucloud.ufile.bean.MultiUploadResponse;
import cn.ucloud.ufile.bean.ObjectContentBean;
import cn.ucloud.ufile.bean.ObjectInfoBean;
import cn.ucloud.ufile.bean.ObjectListBean;
import cn.ucloud.ufile.bean.ObjectListWithDirFormatBean;
import cn.ucloud.ufile.bean.ObjectProfile;
import cn.ucloud.ufile.exception.UfileServerException;
import cn.ucloud.ufile.http.HttpClient;
import cn.ucloud.ufile.util.HttpMethod;
import cn.ucloud.ufile.util.Parameter;
import cn.ucloud.ufile.util.StorageType;
import cn.ucloud.ufile.util.UfileProtocol;
import com.google.gson.Gson;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/**
 * Uses the published Java SDK of US3/UFile as its users do.
 *
 * <p>It prints one JSON line for each step; ../steps.ts says what a step is.
 */
public final class Client {
    private static final String BUCKET = System.getenv("SVC_BUCKET");
    private static final String MADE = "made-by-java";
    private static final String TEXT = "text/plain";
    private static final UfileObjectLocalAuthorization KEYS =
            new UfileObjectLocalAuthorization(System.getenv("SVC_PUBLIC_KEY"), System.getenv("SVC_PRIVATE_KEY"));
    private static final OkHttpClient HTTP = new OkHttpClient();
    private static final PrintStream OUT = System.out;

    interface Work {
        void run() throws Exception;
    }

    private static ObjectApiBuilder files() {
        return UfileClient.object(KEYS,
                new ObjectConfig("cn-bj", "ufileos.com").withProtocol(UfileProtocol.PROTOCOL_HTTP));
    }

    private static BucketApiBuilder buckets() {
        return UfileClient.bucket(
                new UfileBucketLocalAuthorization(System.getenv("SVC_PUBLIC_KEY"), System.getenv("SVC_PRIVATE_KEY")));
    }

    public static void main(String[] none) {
        System.setOut(System.err); // whatever the SDK prints is no step
        // The address of the bucket API is built in, with https, which would ask a proxy for a tunnel.
        UfileClient.configure(new UfileClient.Config(new HttpClient.Config().addInterceptor(chain -> {
            HttpUrl url = chain.request().url().newBuilder().scheme("http").port(80).build();
            return chain.proceed(chain.request().newBuilder().url(url).build());
        })));
        step("create bucket", Client::createBucket);
        step("describe bucket", Client::describeBucket);
        step("put and get 0 bytes", () -> putAndGet("0.txt", new byte[0]));
        step("put and get 1 byte", () -> putAndGet("1.txt", content(1)));
        step("put and get 5 MiB", () -> putAndGet("5.txt", content(5 << 20)));
        step("key with a space", () -> putAndGet("a b.txt", bytes("space")));
        step("key with a plus", () -> putAndGet("a+b.txt", bytes("plus")));
        step("key with a percent sign", () -> putAndGet("100%.txt", bytes("percent")));
        step("key with an escape in it", () -> putAndGet("a%41.txt", bytes("escape")));
        step("key beyond ASCII", () -> putAndGet("键-é.txt", bytes("beyond")));
        step("key with slashes", () -> putAndGet("a/b/c.txt", bytes("slashes")));
        step("put with Content-MD5", Client::putWithMd5);
        step("metadata", Client::metadata);
        lacking("form post", "the SDK has no function for it");
        step("instant upload", Client::instantUpload);
        step("append", Client::append);
        step("range get", Client::rangeGet);
        step("head", Client::head);
        step("prefix list", Client::prefixList);
        step("list objects", Client::listObjects);
        step("copy", Client::copy);
        step("rename", Client::rename);
        step("archive and restore", Client::archiveAndRestore);
        step("multipart upload", Client::multipart);
        lacking("part copy", "the SDK has no function for it");
        lacking("list parts", "the SDK has no function for it");
        step("abort upload", Client::abort);
        step("pre-signed get", Client::presignedGet);
        step("pre-signed put", Client::presignedPut);
        step("delete", Client::delete);
        step("delete bucket", Client::deleteBucket);
        System.exit(0); // the SDK leaves threads behind
    }

    private static void step(String name, Work work) {
        Map<String, Object> outcome = new LinkedHashMap<>(Map.of("step", name, "ok", true));
        try {
            work.run();
        } catch (Exception problem) {
            Object told = problem instanceof UfileServerException
                    ? ((UfileServerException) problem).getErrorBean() : problem;
            outcome.put("ok", false);
            outcome.put("error", String.valueOf(told));
        }
        OUT.println(new Gson().toJson(outcome));
    }

    private static void lacking(String name, String why) {
        OUT.println(new Gson().toJson(Map.of("step", name, "lacking", why)));
    }

    private static byte[] content(int size) {
        byte[] data = new byte[size];
        new Random(size).nextBytes(data);
        return data;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static File local(byte[] data) throws Exception {
        return Files.write(new File("upload.txt").toPath(), data).toFile();
    }

    private static void check(boolean isSo, Object what) {
        if (!isSo) throw new IllegalStateException(String.valueOf(what));
    }

    private static void put(String key, byte[] data) throws Exception {
        files().putObject(local(data), TEXT).nameAs(key).toBucket(BUCKET).execute();
    }

    private static String presigned(String key) throws Exception {
        return files().getDownloadUrlFromPrivateBucket(key, BUCKET, 600).createUrl();
    }

    private static byte[] downloaded(String key) throws Exception {
        ByteArrayOutputStream got = new ByteArrayOutputStream();
        files().getStream(presigned(key)).redirectStream(got).execute();
        return got.toByteArray();
    }

    private static void same(String key, byte[] data) throws Exception {
        check(Arrays.equals(downloaded(key), data), "other bytes came back");
    }

    private static void putAndGet(String key, byte[] data) throws Exception {
        put(key, data);
        same(key, data);
    }

    private static void createBucket() throws Exception {
        String name = buckets().createBucket(MADE, "cn-bj", BucketType.PRIVATE).execute().getBucketName();
        check(name.equals(MADE), name);
    }

    private static void describeBucket() throws Exception {
        BucketDescribeResponse answer = buckets().describeBucket().whichBucket(MADE).execute();
        check(answer.getBucketInfoList().size() == 1, answer);
        check(answer.getBucketInfoList().get(0).getType().equals("private"), answer);
    }

    private static void deleteBucket() throws Exception {
        String name = buckets().deleteBucket(MADE).execute().getBucketName();
        check(name.equals(MADE), name);
    }

    private static void putWithMd5() throws Exception {
        byte[] data = content(1000);
        files().putObject(local(data), TEXT).nameAs("md5.txt").toBucket(BUCKET).withVerifyMd5(true).execute();
        same("md5.txt", data);
    }

    private static void metadata() throws Exception {
        files().putObject(local(bytes("x")), TEXT).nameAs("described.txt").toBucket(BUCKET)
                .addMetaData(new Parameter<>("colour", "red")).execute();
        Map<String, String> metadata = files().objectProfile("described.txt", BUCKET).execute().getMetadatas();
        check("red".equals(metadata.get("colour")), metadata);
    }

    private static void instantUpload() throws Exception {
        byte[] data = content(5 << 20);
        put("held.txt", data);
        files().uploadHit(local(data)).nameAs("at once.txt").toBucket(BUCKET).execute();
        same("at once.txt", data);
    }

    private static void append() throws Exception {
        files().appendObject(bytes("one"), TEXT).appendTo(BUCKET, "grows.txt", 0).execute();
        files().appendObject(bytes("two"), TEXT).appendTo(BUCKET, "grows.txt", 3).execute();
        same("grows.txt", bytes("onetwo"));
    }

    private static void rename() throws Exception {
        put("old.txt", bytes("renamed"));
        files().renameObject(BUCKET, "old.txt").isRenamedTo("new.txt").execute();
        same("new.txt", bytes("renamed"));
    }

    private static void archiveAndRestore() throws Exception {
        put("cold.txt", bytes("cold"));
        files().switchStorageType(BUCKET, "cold.txt").turnTypeTo(StorageType.ARCHIVE).execute();
        String type = files().objectProfile("cold.txt", BUCKET).execute().getStorageType();
        check(type.equals(StorageType.ARCHIVE), type);
        files().objectRestore("cold.txt", BUCKET).execute();
        same("cold.txt", bytes("cold"));
    }

    private static void rangeGet() throws Exception {
        put("range.txt", bytes("0123456789"));
        ByteArrayOutputStream got = new ByteArrayOutputStream();
        files().getStream(presigned("range.txt")).withinRange(2, 5).redirectStream(got).execute();
        check(got.toString("UTF-8").equals("2345"), got);
    }

    private static void head() throws Exception {
        byte[] data = content(5 << 20);
        put("head.txt", data);
        ObjectProfile profile = files().objectProfile("head.txt", BUCKET).execute();
        check(profile.getContentLength() == data.length && profile.getContentType().equals(TEXT), profile);
        check(files().compareEtag(local(data), "head.txt", BUCKET), "another ETag");
    }

    private static void prefixList() throws Exception {
        for (String name : List.of("a", "b", "c")) put("list of/" + name, bytes("x"));
        ObjectListBean first = files().objectList(BUCKET).withPrefix("list of/").dataLimit(2).execute();
        ObjectListBean rest =
                files().objectList(BUCKET).withPrefix("list of/").withMarker(first.getNextMarker()).execute();
        List<String> names = new ArrayList<>();
        for (ObjectInfoBean one : first.getObjectList()) names.add(one.getFileName());
        for (ObjectInfoBean one : rest.getObjectList()) names.add(one.getFileName());
        check(names.equals(List.of("list of/a", "list of/b", "list of/c")) && rest.getNextMarker().isEmpty(), names);
    }

    private static void listObjects() throws Exception {
        for (String key : List.of("tree of/leaf", "tree of/twig/leaf")) put(key, bytes("x"));
        ObjectListWithDirFormatBean list = files().objectListWithDirFormat(BUCKET).withPrefix("tree of/").withMarker("")
                .withDelimiter("/").dataLimit(10).execute();
        check(list.getObjectContents().size() == 1 && list.getCommonPrefixes().size() == 1, list);
        ObjectContentBean leaf = list.getObjectContents().get(0);
        check(leaf.getKey().equals("tree of/leaf") && leaf.getSize().equals("1"), leaf);
        check(list.getCommonPrefixes().get(0).getPrefix().equals("tree of/twig/"), list);
    }

    private static void copy() throws Exception {
        byte[] data = content(100);
        put("source/ü 1.txt", data);
        files().copyObject(BUCKET, "source/ü 1.txt").copyTo(BUCKET, "copy.txt").execute();
        same("copy.txt", data);
    }

    private static void multipart() throws Exception {
        byte[] data = content((9 << 20) + 1);
        MultiUploadInfo upload = files().initMultiUpload("parts.txt", TEXT, BUCKET).execute();
        List<MultiUploadPartState> parts = new ArrayList<>();
        for (int at = 0; at * upload.getBlkSize() < data.length; at++) {
            int from = at * upload.getBlkSize();
            int size = Math.min(upload.getBlkSize(), data.length - from);
            parts.add(files().multiUploadPart(upload, Arrays.copyOfRange(data, from, from + size), at).execute());
        }
        MultiUploadResponse answer = files().finishMultiUpload(upload, parts).execute();
        check(answer.getFileSize() == data.length, answer);
        same("parts.txt", data);
        check(files().compareEtag(local(data), "parts.txt", BUCKET), "another ETag");
    }

    private static void abort() throws Exception {
        MultiUploadInfo upload = files().initMultiUpload("aborted.txt", TEXT, BUCKET).execute();
        List<MultiUploadPartState> parts = new ArrayList<>(); // the SDK sorts it
        parts.add(files().multiUploadPart(upload, bytes("x"), 0).execute());
        files().abortMultiUpload(upload).execute();
        checkNotFound(() -> files().finishMultiUpload(upload, parts).execute());
    }

    private static void checkNotFound(Work work) throws Exception {
        try {
            work.run();
        } catch (UfileServerException refusal) {
            check(refusal.getErrorBean().getResponseCode() == 404, refusal.getErrorBean());
            return;
        }
        check(false, "what is gone is still there");
    }

    private static void presignedGet() throws Exception {
        put("given away.txt", bytes("for everybody"));
        try (Response answer = HTTP.newCall(new Request.Builder().url(presigned("given away.txt")).build()).execute()) {
            check(answer.code() == 200 && answer.body().string().equals("for everybody"), answer);
        }
    }

    private static void presignedPut() throws Exception {
        long expires = System.currentTimeMillis() / 1000 + 600;
        String signature = KEYS.authorizePrivateUrl(
                new ObjectDownloadAuthParam(HttpMethod.PUT, BUCKET, "taken in.txt", expires));
        HttpUrl url = HttpUrl.get("http://" + BUCKET + ".cn-bj.ufileos.com/taken in.txt").newBuilder()
                .addQueryParameter("UCloudPublicKey", KEYS.getPublicKey())
                .addQueryParameter("Expires", String.valueOf(expires))
                .addEncodedQueryParameter("Signature", signature.replace("+", "%2B").replace("/", "%2F"))
                .build();
        Request request = new Request.Builder().url(url).put(RequestBody.create(null, "by anybody")).build();
        try (Response answer = HTTP.newCall(request).execute()) {
            check(answer.code() == 200, answer);
        }
        same("taken in.txt", bytes("by anybody"));
    }

    private static void delete() throws Exception {
        put("gone.txt", bytes("x"));
        files().deleteObject("gone.txt", BUCKET).execute();
        checkNotFound(() -> files().objectProfile("gone.txt", BUCKET).execute());
    }
}
