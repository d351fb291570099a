import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Every vector as a test of JUnit 5: one run of svc-conformance, a test for each case of its report,
 * and one test that stands for all cases that are skipped. Maven runs it in the adapter's folder.
 */
class ConformanceTest {
    /** How a run ended: its report, its exit code and its standard error. */
    private record Run(List<Element> cases, int status, String errors) {}

    @TestFactory
    List<DynamicTest> vectors() throws Exception {
        Run run = runConformance();
        Map<String, Integer> skipped = new TreeMap<>();
        List<DynamicTest> tests = new ArrayList<>();
        boolean hasFailed = false;
        for (Element one : run.cases()) {
            NodeList skip = one.getElementsByTagName("skipped");
            if (skip.getLength() > 0) {
                String kind = ((Element) skip.item(0)).getAttribute("message").split(":")[0];
                skipped.merge(kind, 1, Integer::sum);
                continue;
            }
            String problem = problemOf(one);
            hasFailed |= !problem.isEmpty();
            tests.add(dynamicTest(one.getAttribute("name"), () -> failFor(problem)));
        }
        String line =
                skipped.entrySet().stream()
                        .map(kind -> kind.getValue() + " " + kind.getKey())
                        .collect(Collectors.joining(", "));
        if ((run.status() != 0 || tests.isEmpty()) && !hasFailed) {
            fail(
                    String.format(
                            "svc-conformance run judged %d cases and ended with status %d: %s%s",
                            tests.size(), run.status(), line, run.errors()));
        }
        if (!line.isEmpty()) tests.add(dynamicTest("skipped", () -> abort(line)));
        return tests;
    }

    private static void failFor(String problem) {
        if (!problem.isEmpty()) fail(problem);
    }

    /** Why the case fails; empty if it passes. */
    private static String problemOf(Element one) {
        StringBuilder problem = new StringBuilder();
        for (String kind : List.of("failure", "error")) {
            NodeList found = one.getElementsByTagName(kind);
            if (found.getLength() > 0) problem.append(found.item(0).getTextContent());
        }
        return problem.toString();
    }

    /** The program that SVC_CONFORMANCE names, or this version of the package. */
    private static List<String> program() {
        String own = System.getenv("SVC_CONFORMANCE");
        if (own != null) return List.of(own);
        boolean isWindows = System.getProperty("os.name").startsWith("Windows");
        return List.of(isWindows ? "npx.cmd" : "npx", "--yes", "svc-conformance@VERSION");
    }

    private static Run runConformance() throws Exception {
        List<String> command = new ArrayList<>(program());
        command.addAll(List.of("run", "--adapter", ".", "--reporter", "junit=-"));
        Path errors = Files.createTempFile("svc-conformance", ".txt");
        try {
            Process process = start(command, errors);
            byte[] report = process.getInputStream().readAllBytes();
            int status = process.waitFor();
            return new Run(casesOf(report), status, Files.readString(errors));
        } finally {
            Files.delete(errors);
        }
    }

    private static Process start(List<String> command, Path errors) {
        try {
            return new ProcessBuilder(command).redirectError(errors.toFile()).start();
        } catch (IOException problem) {
            return fail(
                    problem.getMessage()
                            + "; install Node 20.19 or later, or name the program svc-conformance in"
                            + " SVC_CONFORMANCE");
        }
    }

    private static List<Element> casesOf(byte[] report) throws Exception {
        if (report.length == 0) return List.of();
        NodeList found =
                DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(new ByteArrayInputStream(report))
                        .getElementsByTagName("testcase");
        return IntStream.range(0, found.getLength())
                .mapToObj(i -> (Element) found.item(i))
                .toList();
    }
}
