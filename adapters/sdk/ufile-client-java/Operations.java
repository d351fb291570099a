import cn.ucloud.ufile.UfileClient;
import cn.ucloud.ufile.api.bucket.BucketApiBuilder;
import cn.ucloud.ufile.api.bucket.BucketType;
import cn.ucloud.ufile.api.object.ObjectConfig;
import cn.ucloud.ufile.api.object.policy.PolicyParam;
import cn.ucloud.ufile.api.object.policy.PutPolicy;
import cn.ucloud.ufile.api.object.policy.PutPolicyForCallback;
import cn.ucloud.ufile.auth.ObjectOptAuthParam;
import cn.ucloud.ufile.auth.UfileBucketLocalAuthorization;
import cn.ucloud.ufile.auth.UfileObjectLocalAuthorization;
import cn.ucloud.ufile.http.HttpClient;
import cn.ucloud.ufile.util.Etag;
import cn.ucloud.ufile.util.HttpMethod;
import cn.ucloud.ufile.util.Parameter;
import cn.ucloud.ufile.util.UfileProtocol;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Response;
import okhttp3.ResponseBody;

/** What the SDK is asked, by the names of the protocol. */
final class Operations {
    interface Operation {
        Map<String, String> answer(JsonObject input, String publicKey, String privateKey) throws Exception;
    }

    static final Map<String, Operation> BY_NAME = Map.of(
            "authorization", Operations::authorization,
            "policy", Operations::policy,
            "policy-authorization", Operations::policyAuthorization,
            "presigned-url", Operations::presignedUrl,
            "action-signature", Operations::actionSignature,
            "bucket-request", Operations::bucketRequest,
            "etag", Operations::etag);

    /** The URL of the last request: the SDK's HTTP client sends none. */
    private static HttpUrl requested;

    static {
        HttpClient.Config http = new HttpClient.Config().setInterceptors(List.of(chain -> {
            requested = chain.request().url();
            return new Response.Builder().request(chain.request()).protocol(Protocol.HTTP_1_1).code(200).message("")
                    .body(ResponseBody.create(MediaType.parse("application/json"), "{\"RetCode\": 0}")).build();
        }));
        UfileClient.configure(new UfileClient.Config(http));
    }

    private static Map<String, String> authorization(JsonObject input, String publicKey, String privateKey)
            throws Exception {
        return Map.of("authorization",
                new UfileObjectLocalAuthorization(publicKey, privateKey).authorization(request(input)));
    }

    private static ObjectOptAuthParam request(JsonObject input) throws Adapter.Unsupported {
        Map<String, String> headers = texts(input, "headers");
        // The SDK takes these three values, and no other header.
        unsupportedIf(!Set.of("Content-Type", "Content-MD5", "Date").containsAll(headers.keySet()));
        return new ObjectOptAuthParam(method(input), text(input, "bucket"), text(input, "key"),
                headers.get("Content-Type"), headers.get("Content-MD5"), headers.get("Date"));
    }

    private static Map<String, String> policy(JsonObject input, String publicKey, String privateKey) throws Exception {
        return Map.of("policy", policyOf(texts(input, "members")).getPolicy());
    }

    /** The SDK takes a policy that its builder made, and no text. */
    private static Map<String, String> policyAuthorization(JsonObject input, String publicKey, String privateKey)
            throws Exception {
        String given = text(input, "policy");
        unsupportedIf(!given.matches("[A-Za-z0-9_-]*=*"));
        String json = new String(Base64.getUrlDecoder().decode(given), StandardCharsets.UTF_8);
        Map<String, String> members = new HashMap<>();
        for (Map.Entry<String, JsonElement> one : new JsonParser().parse(json).getAsJsonObject().entrySet()) {
            members.put(one.getKey(), one.getValue().getAsString());
        }
        PutPolicy policy = policyOf(members);
        unsupportedIf(!policy.getPolicy().equals(given));
        return Map.of("authorization", new UfileObjectLocalAuthorization(publicKey, privateKey)
                .authorization(request(input).setPutPolicy(policy)));
    }

    /** The builder takes the parameters of the callback one by one, and always writes a callbackBody. */
    private static PutPolicy policyOf(Map<String, String> members) throws Exception {
        unsupportedIf(!members.keySet().equals(Set.of("callbackUrl", "callbackBodyType", "callbackBody")));
        List<PolicyParam> body = new ArrayList<>();
        for (String one : members.get("callbackBody").split("&")) {
            unsupportedIf(!one.contains("="));
            body.add(new PolicyParam(one.split("=", 2)[0], one.split("=", 2)[1]));
        }
        String type = members.get("callbackBodyType");
        unsupportedIf(!type.equals("application/x-www-form-urlencoded"));
        return new PutPolicyForCallback.Builder(members.get("callbackUrl"), body, type).build();
    }

    private static HttpMethod method(JsonObject input) throws Adapter.Unsupported {
        for (HttpMethod method : HttpMethod.values()) {
            if (method.getName().equals(text(input, "method"))) return method;
        }
        throw new Adapter.Unsupported();
    }

    /** 2050-01-01: whether an earlier time is still to come would depend on the day of the run. */
    private static final long FAR = 2524608000L;

    /** The SDK takes a number of seconds from now above zero, and presigns a GET without headers. */
    private static Map<String, String> presignedUrl(JsonObject input, String publicKey, String privateKey)
            throws Exception {
        String expires = text(input, "expires");
        unsupportedIf(!text(input, "method").equals("GET") || !texts(input, "headers").isEmpty());
        unsupportedIf(!expires.matches("[1-9][0-9]{0,17}") || Long.parseLong(expires) < FAR);
        String[] host = text(input, "fileHost").split("[.]", 2);
        unsupportedIf(host.length < 2);
        boolean secure = text(input, "scheme").equals("https");
        ObjectConfig config = new ObjectConfig(host[0], host[1])
                .withProtocol(secure ? UfileProtocol.PROTOCOL_HTTPS : UfileProtocol.PROTOCOL_HTTP);
        UfileObjectLocalAuthorization authorizer = new UfileObjectLocalAuthorization(publicKey, privateKey);
        while (System.currentTimeMillis() % 1000 > 950) Thread.sleep(10); // no tick between here and the SDK
        long seconds = Long.parseLong(expires) - System.currentTimeMillis() / 1000;
        unsupportedIf(seconds > Integer.MAX_VALUE);
        return Map.of("url", UfileClient.object(authorizer, config)
                .getDownloadUrlFromPrivateBucket(text(input, "key"), text(input, "bucket"), (int) seconds)
                .createUrl());
    }

    private static Map<String, String> actionSignature(JsonObject input, String publicKey, String privateKey)
            throws Exception {
        List<Parameter<String>> parameters = new ArrayList<>();
        for (JsonElement one : input.getAsJsonArray("parameters")) {
            JsonElement value = one.getAsJsonArray().get(1);
            unsupportedIf(!isText(value));
            parameters.add(new Parameter<>(one.getAsJsonArray().get(0).getAsString(), value.getAsString()));
        }
        return Map.of("signature", new UfileBucketLocalAuthorization(publicKey, privateKey)
                .authorizeBucketUrl(parameters));
    }

    /** The requests that the SDK has an API for, where its API takes these parameters; it adds PublicKey itself. */
    private static Map<String, String> bucketRequest(JsonObject input, String publicKey, String privateKey)
            throws Exception {
        Map<String, String> given = texts(input, "parameters");
        unsupportedIf(!publicKey.equals(given.remove("PublicKey")));
        String action = given.remove("Action");
        String bucket = given.remove("BucketName");
        String project = given.remove("ProjectId");
        String type = given.remove("Type");
        String region = given.remove("Region");
        unsupportedIf(!given.isEmpty() || action == null || bucket == null);
        BucketApiBuilder apis = UfileClient.bucket(new UfileBucketLocalAuthorization(publicKey, privateKey));
        switch (action) {
            case "CreateBucket":
                unsupportedIf(region == null);
                apis.createBucket(bucket, region, typeOf(type)).withProjectId(project).execute();
                break;
            case "UpdateBucket":
                unsupportedIf(region != null);
                apis.updateBucket(bucket, typeOf(type)).withProjectId(project).execute();
                break;
            case "DeleteBucket":
                unsupportedIf(region != null || type != null);
                apis.deleteBucket(bucket).withProjectId(project).execute();
                break;
            default: // DescribeBucket always sends an Offset and a Limit
                throw new Adapter.Unsupported();
        }
        return Map.of("target", requested.encodedPath() + "?" + requested.encodedQuery());
    }

    private static BucketType typeOf(String type) throws Adapter.Unsupported {
        for (BucketType one : BucketType.values()) {
            if (one.getBucketType().equals(type)) return one;
        }
        throw new Adapter.Unsupported();
    }

    private static Map<String, String> etag(JsonObject input, String publicKey, String privateKey) throws Exception {
        JsonObject content = input.getAsJsonObject("content");
        Etag etag = content.has("file")
                ? Etag.etag(new File(text(content, "file")))
                : Etag.etag(new ByteArrayInputStream(Base64.getDecoder().decode(text(content, "bytes"))));
        return Map.of("etag", etag.geteTag());
    }

    private static String text(JsonObject input, String name) {
        return input.get(name).getAsString();
    }

    /** Pairs of texts, in which no name is there twice. */
    private static Map<String, String> texts(JsonObject input, String name) throws Adapter.Unsupported {
        Map<String, String> texts = new HashMap<>();
        for (JsonElement one : input.getAsJsonArray(name)) {
            JsonElement value = one.getAsJsonArray().get(1);
            unsupportedIf(!isText(value));
            unsupportedIf(texts.put(one.getAsJsonArray().get(0).getAsString(), value.getAsString()) != null);
        }
        return texts;
    }

    private static boolean isText(JsonElement value) {
        return value.isJsonPrimitive() && value.getAsJsonPrimitive().isString();
    }

    private static void unsupportedIf(boolean condition) throws Adapter.Unsupported {
        if (condition) throw new Adapter.Unsupported();
    }
}
