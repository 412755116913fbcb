package interop.driver;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Registration, shutdown, and what has to be true of everything that was sent. */
final class LifeChecks {

    private static final long START_MILLIS = 30_000;
    private static final long STOP_MILLIS = 20_000;
    private static final String STOPPED = "web container destroy and kill the job.";

    private final Session session;
    private final Report report;
    private Trigger running;
    private Trigger queued;

    LifeChecks(Session session, Report report) {
        this.session = session;
        this.report = report;
    }

    void addStart(Script script) {
        script.check("registry-beat", this::registryBeat);
    }

    void addStop(Script script) {
        script.check("registry-remove", this::registryRemove);
        script.check("shutdown-results", this::shutdownResults);
        script.check("one-result-each", this::oneResultEach);
        script.check("no-stray-results", this::noStrays);
        script.check("admin-requests", this::noFaults);
    }

    private String registryBeat() throws InterruptedException {
        Registration beat = awaitBeat();
        Expect.equal("beat", beat, registration());
        awaitCallable();
        return beat.toString();
    }

    private Registration awaitBeat() throws InterruptedException {
        try {
            return session.ledger.awaitBeat(START_MILLIS);
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "; refused were " + session.ledger.faults());
        }
    }

    private Registration registration() {
        return new Registration("EXECUTOR", session.appName, session.url + "/");
    }

    /** An executor may announce itself a moment before it answers. */
    private void awaitCallable() throws InterruptedException {
        long end = System.nanoTime() + 5_000_000_000L;
        while (true) {
            try {
                if (session.executor.beat().code() == 200) {
                    return;
                }
            } catch (RuntimeException notYet) {
                // From 3.3.0 a refused connection is an exception, before it is an answer with code 500.
                Expect.that(System.nanoTime() < end, "the registered address does not answer: " + notYet);
            }
            Expect.that(System.nanoTime() < end, "the registered address does not answer /beat with 200");
            Thread.sleep(50);
        }
    }

    private String registryRemove() throws Exception {
        int job = session.newJob();
        running = session.startSleeper(job, "sleep", 2_000);
        queued = session.accept(session.trigger(job).handler("sleep", "100"));
        int resultsBefore = session.ledger.resultCount();
        report.askToStop();
        Registration removal = session.ledger.awaitRemoval(STOP_MILLIS);
        Expect.equal("removal", removal, registration());
        Expect.equal("results before the removal", session.ledger.resultsAtRemoval(), resultsBefore);
        awaitStopped();
        Expect.equal("beats after the removal", session.ledger.beatsAfterRemoval(), 0);
        return removal.toString();
    }

    /** Whoever started this program says by a line that the executor's process has ended. */
    private static void awaitStopped() throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Expect.equal("line on standard input", in.readLine(), "stopped");
    }

    /** Releases kill at once or wait a while first, so that the runs may also have ended by themselves. */
    private String shutdownResults() throws InterruptedException {
        Result first = session.result(running);
        Result second = session.result(queued);
        expectEither("running", first, STOPPED + BlockChecks.RUNNING_KILLED);
        expectEither("queued", second, STOPPED + BlockChecks.QUEUED_KILLED);
        return first.code() + " " + first.msg() + ", " + second.code() + " " + second.msg();
    }

    private static void expectEither(String what, Result result, String killed) {
        boolean ended = result.code() == 200 && result.msg().equals("slept");
        boolean stopped = result.code() == 500 && result.msg().equals(killed);
        Expect.that(ended || stopped, what + " run ended with " + result);
    }

    /** A result may be delivered again, but then it is the same. */
    private String oneResultEach() {
        Set<Long> accepted = session.ledger.accepted();
        List<String> wrong = new ArrayList<>();
        int repeats = 0;
        for (long logId : accepted) {
            List<Result> results = session.ledger.resultsOf(logId);
            if (results.isEmpty() || !results.stream().allMatch(results.get(0)::sameAs)) {
                wrong.add("log " + logId + ": " + results);
            }
            repeats += Math.max(0, results.size() - 1);
        }
        Expect.equal("log ids without exactly one result", wrong, List.of());
        return accepted.size() + " accepted, " + repeats + " results delivered again";
    }

    private String noStrays() {
        Expect.equal("results of triggers that were not accepted", session.ledger.strays(), Set.of());
        return "none";
    }

    private String noFaults() {
        Expect.equal("requests that no admin would take", session.ledger.faults(), List.of());
        return "all decoded";
    }
}
