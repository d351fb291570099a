import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A conformance adapter for the published Java SDK of US3/UFile.
 *
 * <p>It puts the questions of ../../PROTOCOL.md to the SDK and reports what the SDK gives, unchanged. This class is the
 * protocol, {@link Operations} the SDK.
 */
public final class Adapter {
    /** Thrown where the SDK has no way to take a question. */
    static final class Unsupported extends Exception {}

    private static final Gson JSON = new GsonBuilder().disableHtmlEscaping().create();

    public static void main(String[] none) throws IOException {
        PrintStream replies = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        System.setOut(System.err); // whatever the SDK prints is no reply
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JsonObject message = new JsonParser().parse(line).getAsJsonObject();
            replies.print(JSON.toJson(message.has("n") ? reply(message) : greeting()) + "\n");
            replies.flush();
        }
    }

    /** Of hello nothing is needed: the SDK has its dialect, ucloud, built in. */
    private static Map<String, Object> greeting() {
        String jar = cn.ucloud.ufile.UfileClient.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        String version = jar.replaceFirst("^.*/ufile-client-java-(.*)[.]jar$", "$1");
        return Map.of(
                "protocol", 1,
                "implementation", Map.of("name", "ufile-client-java", "version", version, "language", "java"),
                "operations", Operations.BY_NAME.keySet().stream().sorted().toArray(),
                "window", 64);
    }

    private static Map<String, Object> reply(JsonObject question) {
        JsonElement n = question.get("n");
        try {
            Operations.Operation operation = Operations.BY_NAME.get(question.get("operation").getAsString());
            if (operation == null) throw new Unsupported();
            JsonObject keys = question.getAsJsonObject("keys");
            return Map.of("n", n, "result", operation.answer(question.getAsJsonObject("input"),
                    keys.get("publicKey").getAsString(), keys.get("privateKey").getAsString()));
        } catch (Unsupported unsupported) {
            return Map.of("n", n, "unsupported", true);
        } catch (cn.ucloud.ufile.exception.UfileClientException refusal) { // what the SDK throws at an input that it does not take
            return Map.of("n", n, "refused", Map.of("reason", refusal.getMessage()));
        } catch (Exception problem) { // the SDK broke
            return Map.of("n", n, "error", problem.toString());
        }
    }
}
