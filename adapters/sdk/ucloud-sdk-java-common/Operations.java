import cn.ucloud.common.annotation.UCloudParam;
import cn.ucloud.common.client.DefaultClient;
import cn.ucloud.common.config.Config;
import cn.ucloud.common.credential.Credential;
import cn.ucloud.common.exception.TransportException;
import cn.ucloud.common.request.Request;
import cn.ucloud.common.response.Response;
import cn.ucloud.common.transport.DefaultTransport;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import org.apache.http.HttpEntityEnclosingRequest;
import org.apache.http.HttpHost;
import org.apache.http.HttpRequest;
import org.apache.http.client.methods.CloseableHttpResponse;
import org.apache.http.conn.ClientConnectionManager;
import org.apache.http.impl.client.CloseableHttpClient;
import org.apache.http.params.HttpParams;
import org.apache.http.protocol.HttpContext;
import org.apache.http.util.EntityUtils;

/** What the SDK is asked, by the names of the protocol. */
final class Operations {
    interface Operation {
        Map<String, String> answer(JsonObject input, String publicKey, String privateKey) throws Exception;
    }

    static final Map<String, Operation> BY_NAME = Map.of(
            "action-signature", Operations::actionSignature,
            "action-json", Operations::actionJson);

    private static Map<String, String> actionSignature(JsonObject input, String publicKey, String privateKey)
            throws Exception {
        Request request = request(input.getAsJsonArray("parameters"));
        unsupportedIf(!publicKey.equals(request.getPublicKey())); // the credential signs its own
        return Map.of("signature", new Credential(publicKey, privateKey).verifyAc(request));
    }

    /** The body that the SDK's client sends, with an HTTP client that sends nothing. */
    private static Map<String, String> actionJson(JsonObject input, String publicKey, String privateKey)
            throws Exception {
        Request request = request(input.getAsJsonArray("parameters"));
        unsupportedIf(!publicKey.equals(request.getPublicKey()));
        Keeper kept = new Keeper();
        DefaultTransport transport = new DefaultTransport("https://api.example", "");
        transport.setHttpClient(kept);
        DefaultClient client = new DefaultClient(new Config(), new Credential(publicKey, privateKey));
        client.setTransport(transport);
        try {
            client.invoke(request, Response.class);
        } catch (TransportException sentNothing) {
            if (kept.body == null) throw sentNothing;
        }
        return Map.of("body", kept.body);
    }

    private static final class Keeper extends CloseableHttpClient {
        String body;

        @Override
        protected CloseableHttpResponse doExecute(HttpHost host, HttpRequest request, HttpContext context)
                throws IOException {
            body = EntityUtils.toString(((HttpEntityEnclosingRequest) request).getEntity());
            throw new IOException("this adapter sends nothing");
        }

        @Override
        public void close() {}

        @Deprecated
        @Override
        public HttpParams getParams() {
            throw new UnsupportedOperationException();
        }

        @Deprecated
        @Override
        public ClientConnectionManager getConnectionManager() {
            throw new UnsupportedOperationException();
        }
    }

    /** A request as a user of the SDK writes it: a class with an annotated field for each parameter. */
    private static Request request(JsonArray pairs) throws Exception {
        Set<String> names = new HashSet<>();
        DynamicType.Builder<Request> written = new ByteBuddy().subclass(Request.class);
        for (JsonElement pair : pairs) {
            String name = name(pair);
            unsupportedIf(!names.add(name)); // the names end up in a map
            if (!OF_REQUEST.contains(name)) {
                written = written.defineField("field" + names.size(), Object.class, Visibility.PUBLIC).annotateField(
                        AnnotationDescription.Builder.ofType(UCloudParam.class).define("value", name).build());
            }
        }
        Request request = written.make().load(Operations.class.getClassLoader()).getLoaded()
                .getDeclaredConstructor().newInstance();
        int field = 0;
        for (JsonElement pair : pairs) {
            Object value = value(pair.getAsJsonArray().get(1));
            field++;
            if (OF_REQUEST.contains(name(pair))) setText(request, name(pair), value);
            else request.getClass().getField("field" + field).set(request, value);
        }
        return request;
    }

    /** The parameters that every request of the SDK has, as texts. */
    private static final Set<String> OF_REQUEST = Set.of("Action", "PublicKey", "Region", "ProjectId", "Signature");

    private static void setText(Request request, String name, Object value) throws Adapter.Unsupported {
        unsupportedIf(value != null && !(value instanceof String));
        String text = (String) value;
        switch (name) {
            case "Action": request.setAction(text); break;
            case "PublicKey": request.setPublicKey(text); break;
            case "Region": request.setRegion(text); break;
            case "ProjectId": request.setProjectId(text); break;
            default: request.setSignature(text);
        }
    }

    private static String name(JsonElement pair) {
        return pair.getAsJsonArray().get(0).getAsString();
    }

    /** A String, Boolean, Integer, Long, BigInteger or Double, null, a List or another request. */
    private static Object value(JsonElement given) throws Exception {
        if (given.isJsonNull()) return null;
        if (given.isJsonPrimitive()) {
            return given.getAsJsonPrimitive().isBoolean() ? (Object) given.getAsBoolean() : given.getAsString();
        }
        JsonObject tagged = given.getAsJsonObject();
        if (tagged.has("number")) return number(tagged.get("number").getAsString());
        if (tagged.has("object")) return request(tagged.getAsJsonArray("object"));
        List<Object> list = new ArrayList<>();
        for (JsonElement item : tagged.getAsJsonArray("list")) list.add(value(item));
        return list;
    }

    /** Whole numbers by their size, a Double where there is a fraction or an exponent; no other spelling is a number. */
    private static Number number(String digits) throws Adapter.Unsupported {
        if (digits.matches("-?(0|[1-9][0-9]*)")) {
            BigInteger whole = new BigInteger(digits);
            if (whole.bitLength() < 32) return whole.intValue();
            return whole.bitLength() < 64 ? (Number) whole.longValue() : whole;
        }
        unsupportedIf(!digits.matches("-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?|NaN|-?Infinity"));
        return Double.valueOf(digits);
    }

    private static void unsupportedIf(boolean condition) throws Adapter.Unsupported {
        if (condition) throw new Adapter.Unsupported();
    }
}
