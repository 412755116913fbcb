package interop.driver;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** The admin stand-in: takes callbacks and registrations, decodes them as the release would, keeps them. */
final class AdminServer implements AutoCloseable {

    /** The context path of 2.2.0 .. 3.4.0, so that an executor is also seen to keep it. */
    static final String ROOT = "/xxl-job-admin";

    private final Release release;
    private final Ledger ledger;
    private final String token;
    private final HttpServer server;
    private final AtomicInteger refusals = new AtomicInteger();
    private final ExecutorService workers = Executors.newFixedThreadPool(4);

    /** Binds a loopback port; 0 is any free one. */
    AdminServer(Release release, Ledger ledger, String token, int port) throws IOException {
        this.release = release;
        this.ledger = ledger;
        this.token = token;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 50);
        server.createContext("/", this::handle);
        server.setExecutor(workers);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** Makes the next callbacks be answered with code 500, as by an admin whose database is away. */
    void refuseCallbacks(int count) {
        refusals.set(count);
    }

    /** How many of the callbacks to refuse have not come yet. */
    int refusalsLeft() {
        return refusals.get();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String fault = fault(exchange);
            if (fault == null && path.endsWith("/callback") && refusals.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                send(exchange, "{\"code\":500,\"msg\":\"refused once\"}");
                return;
            }
            if (fault == null) {
                fault = take(path, body);
            }
            if (fault == null) {
                send(exchange, release.success());
                return;
            }
            ledger.addFault(exchange.getRequestMethod() + " " + path + ": " + fault + ", body " + body);
            send(exchange, "{\"code\":500,\"msg\":\"refused by the stand-in, see its report\"}");
        }
    }

    /** What an admin would refuse before it reads the body. */
    private String fault(HttpExchange exchange) {
        if (!exchange.getRequestMethod().equals("POST")) {
            return "invalid request, HttpMethod not support.";
        }
        String sent = exchange.getRequestHeaders().getFirst("XXL-JOB-ACCESS-TOKEN");
        if (!token.equals(sent)) {
            return "The access token is wrong.";
        }
        String type = exchange.getRequestHeaders().getFirst("Content-Type");
        if (type == null || !type.startsWith("application/json")) {
            return "Content-Type is " + type;
        }
        return null;
    }

    private String take(String path, String body) {
        try {
            switch (path) {
                case ROOT + "/api/callback" -> ledger.addResults(release.results(body));
                case ROOT + "/api/registry" -> ledger.addBeat(release.registration(body));
                case ROOT + "/api/registryRemove" -> ledger.addRemoval(release.registration(body));
                default -> {
                    return "no such path";
                }
            }
            return null;
        } catch (RuntimeException e) {
            return "cannot be decoded by this release: " + e;
        }
    }

    /** Answers chunked, as the real admin does. */
    private static void send(HttpExchange exchange, String body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Override
    public void close() {
        server.stop(0);
        workers.shutdownNow();
    }
}
