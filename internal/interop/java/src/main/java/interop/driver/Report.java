package interop.driver;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Writes one JSON object a line to standard output, which nothing else writes to. */
final class Report {

    private final Gson gson = new GsonBuilder().disableHtmlEscaping().create();
    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    void listening(int port) {
        Map<String, Object> line = event("listening");
        line.put("port", port);
        write(line);
    }

    /** Asks whoever started the executor to stop it, and to say so by a line on standard input. */
    void askToStop() {
        write(event("stop"));
    }

    void check(String name, boolean ok, String detail, long millis) {
        Map<String, Object> line = event("check");
        line.put("name", name);
        line.put("ok", ok);
        line.put("detail", detail);
        line.put("millis", millis);
        write(line);
    }

    void summary(int checks, int failed) {
        Map<String, Object> line = event("summary");
        line.put("checks", checks);
        line.put("failed", failed);
        write(line);
    }

    private static Map<String, Object> event(String name) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("event", name);
        return line;
    }

    private synchronized void write(Map<String, Object> line) {
        out.println(gson.toJson(line));
    }
}
