package interop.driver;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a run was given, and what comes back as its result. */
final class ResultChecks {

    /** Everything that escaping, charsets and line handling can break, with a character outside the BMP. */
    static final String AWKWARD = "定时任务 ünïcode 😀 <b>&amp;'\"=</b> \\u003c first line\nsecond\tline \u2028 end";

    private static final int MESSAGE_LIMIT = 50_000;

    private final Session session;

    ResultChecks(Session session) {
        this.session = session;
    }

    void addTo(Script script) {
        script.check("echo", () -> show(session.runs(next().handler("echo", "hello"), 200, "hello")));
        script.check("echo-awkward-text", () -> show(session.runs(next().handler("echo", AWKWARD), 200, AWKWARD)));
        script.check("param-missing", () -> show(session.runs(next().handler("echo", null), 200, "")));
        script.check("fail", () -> fails("fail"));
        script.check("panic", () -> fails("panic"));
        script.check("timeout", this::timeout);
        script.check("timeout-off", this::timeoutOff);
        script.check("shard", () -> show(session.runs(next().handler("shard", "").shard(2, 5), 200, "2/5")));
        script.check("shard-none", () -> show(session.runs(next().handler("shard", ""), 200, "0/1")));
        script.check("message-cut", this::messageCut);
        script.check("message-not-cut", this::messageNotCut);
        script.check("each-once-in-order", this::eachOnceInOrder);
        script.check("many-jobs-at-once", this::manyJobs);
    }

    private Trigger next() {
        return session.trigger(session.newJob());
    }

    private static String show(Result result) {
        return result.code() + " " + result.msg();
    }

    private String fails(String handler) throws InterruptedException {
        String reason = "reason 原因 " + handler;
        Result result = session.result(session.accept(next().handler(handler, reason)));
        Expect.equal("code", result.code(), 500);
        Expect.contains("message", result.msg(), reason);
        return result.code() + " " + result.msg().lines().findFirst().orElse("");
    }

    private String timeout() throws InterruptedException {
        long start = System.nanoTime();
        Trigger trigger = session.accept(next().handler("sleep", "60000").timeout(1));
        session.ends(trigger, 502, "job execute timeout ");
        long millis = (System.nanoTime() - start) / 1_000_000;
        Expect.that(millis >= 950 && millis < 4_000, "a limit of 1 s ended the run after " + millis + " ms");
        return "502 after " + millis + " ms";
    }

    private String timeoutOff() throws InterruptedException {
        return show(session.runs(next().handler("sleep", "100").timeout(-1), 200, "slept"));
    }

    private String messageCut() throws InterruptedException {
        Result result = session.result(session.accept(next().handler("bigmsg", "60000")));
        Expect.equal("code", result.code(), 200);
        Expect.equal("length", result.msg().length(), MESSAGE_LIMIT + 3);
        Expect.equal("message", result.msg(), "x".repeat(MESSAGE_LIMIT) + "...");
        return "60000 became " + result.msg().length();
    }

    private String messageNotCut() throws InterruptedException {
        session.runs(next().handler("bigmsg", "50000"), 200, "x".repeat(MESSAGE_LIMIT));
        return "50000 stayed";
    }

    private String eachOnceInOrder() throws Exception {
        Path file = session.work.resolve("marks");
        int job = session.newJob();
        List<Trigger> triggers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            triggers.add(session.accept(session.trigger(job).handler("mark", file.toString())));
        }
        List<String> want = new ArrayList<>();
        for (Trigger trigger : triggers) {
            Expect.equal("code of " + trigger, session.result(trigger).code(), 200);
            want.add(Long.toString(trigger.logId));
        }
        Expect.equal("log ids that ran", Files.readAllLines(file), want);
        return want.size() + " runs of one job, each once and in order";
    }

    private String manyJobs() throws InterruptedException {
        List<Trigger> triggers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            triggers.add(session.accept(next().handler("echo", "n" + i)));
        }
        for (int i = 0; i < triggers.size(); i++) {
            session.ends(triggers.get(i), 200, "n" + i);
        }
        return triggers.size() + " jobs, each with its own message";
    }
}
