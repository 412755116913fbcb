package interop.driver;

import interop.Flags;
import java.nio.file.Path;

/** What every check needs: the release, its client for the executor under test, and new ids. Not thread-safe. */
final class Session {

    /** Longer than any check here may wait for one result. */
    static final long RESULT_MILLIS = 10_000;

    /** Not exact as a double and beyond 32 bits, so that an id that goes through either is seen. */
    private static final long FIRST_LOG_ID = 9_007_199_254_740_993L;

    final Release release;
    final AdminServer admin;
    final Ledger ledger;
    final String url;
    final String appName;
    final Path work;
    final ExecutorClient executor;

    private final String token;
    private int lastJobId = 100;
    private long lastLogId = FIRST_LOG_ID - 1;

    /** A session with the executor that the flags name, which need not have started yet. */
    Session(Flags flags, Release release, AdminServer admin, Ledger ledger) {
        this.release = release;
        this.admin = admin;
        this.ledger = ledger;
        this.url = flags.require("executor").replaceFirst("/$", "");
        this.token = flags.require("token");
        this.appName = flags.require("appname");
        this.work = Path.of(flags.require("work"));
        this.executor = release.client(url, token);
    }

    /** A client with another token than the executor's. */
    ExecutorClient executorWithToken(String other) {
        Expect.that(!other.equals(token), "the test needs another token than " + other);
        return release.client(url, other);
    }

    int newJob() {
        return ++lastJobId;
    }

    Trigger trigger(int jobId) {
        return new Trigger(jobId, ++lastLogId, System.currentTimeMillis());
    }

    /** Sends a trigger that has to be taken. */
    Trigger accept(Trigger trigger) {
        ledger.accept(trigger); // before the call, because a result may come before its answer
        Answer answer = executor.run(trigger);
        Expect.equal("code of /run for " + trigger + " (msg \"" + answer.msg() + "\")", answer.code(), 200);
        return trigger;
    }

    /** Sends a trigger that has to be refused, and returns the reason. */
    String refuse(Trigger trigger) {
        ledger.refuse(trigger);
        Answer answer = executor.run(trigger);
        Expect.equal("code of /run for " + trigger, answer.code(), 500);
        return answer.msg();
    }

    Result result(Trigger trigger) throws InterruptedException {
        Result result = ledger.awaitResult(trigger.logId, RESULT_MILLIS);
        Expect.equal("logDateTim of the result of " + trigger, result.logTime(), trigger.logTime);
        return result;
    }

    /** Sends a trigger and returns its result, which has to have the code and message. */
    Result runs(Trigger trigger, int code, String msg) throws InterruptedException {
        return ends(accept(trigger), code, msg);
    }

    /** Waits for the result of an accepted trigger, which has to have the code and message. */
    Result ends(Trigger trigger, int code, String msg) throws InterruptedException {
        Result result = result(trigger);
        Expect.equal("message of " + trigger, result.msg(), msg);
        Expect.equal("code of " + trigger, result.code(), code);
        return result;
    }

    /** Starts a handler that sleeps, and returns when its log shows that it runs. */
    Trigger startSleeper(int jobId, String handler, long millis) throws InterruptedException {
        Trigger trigger = accept(trigger(jobId).handler(handler, Long.toString(millis)));
        awaitLog(trigger, "xxl-job job execute start");
        return trigger;
    }

    /** Reads the log of a run, from its first line, until a text is in it. */
    LogPage awaitLog(Trigger trigger, String text) throws InterruptedException {
        long end = System.nanoTime() + RESULT_MILLIS * 1_000_000;
        while (true) {
            LogPage page = executor.log(trigger.logId, trigger.logTime, 1);
            if (page.content().contains(text)) {
                return page;
            }
            if (System.nanoTime() > end) {
                Expect.contains("log of " + trigger, page.content(), text);
            }
            Thread.sleep(20);
        }
    }
}
