package interop.driver;

/** What happens to a trigger whose job is busy, and to the run that it meets. */
final class BlockChecks {

    private static final String COVER = "block strategy effect：Cover Early";
    private static final String DISCARD = "block strategy effect：Discard Later";
    static final String RUNNING_KILLED = " [job running, killed]";
    static final String QUEUED_KILLED = " [job not executed, in the job queue, killed.]";

    private final Session session;

    BlockChecks(Session session) {
        this.session = session;
    }

    void addTo(Script script) {
        script.check("serial", this::serial);
        script.check("discard-later", this::discardLater);
        script.check("discard-later-idle", () -> whenIdle("DISCARD_LATER"));
        script.check("cover-early", this::coverEarly);
        script.check("cover-early-idle", () -> whenIdle("COVER_EARLY"));
        script.check("handler-changed", this::handlerChanged);
        script.check("repeat-while-queued", this::repeat);
    }

    private String serial() throws InterruptedException {
        int job = session.newJob();
        Trigger first = session.startSleeper(job, "sleep", 400);
        Trigger second = session.accept(session.trigger(job).handler("sleep", "1").block("no such strategy"));
        session.ends(second, 200, "slept");
        Expect.equal("results of the first when the second ended", session.ledger.resultsOf(first.logId).size(), 1);
        session.ends(first, 200, "slept");
        return "the second waited for the first";
    }

    private String discardLater() throws InterruptedException {
        int job = session.newJob();
        Trigger running = session.startSleeper(job, "sleep", 400);
        String text = session.refuse(session.trigger(job).handler("sleep", "1").block("DISCARD_LATER"));
        Expect.equal("msg", text, DISCARD);
        session.ends(running, 200, "slept");
        return text;
    }

    private String whenIdle(String strategy) throws InterruptedException {
        int job = session.newJob();
        Trigger first = session.accept(session.trigger(job).handler("echo", "1").block(strategy));
        session.ends(first, 200, "1");
        session.awaitLog(first, "xxl-job job callback finish."); // then the job's thread is idle again
        session.runs(session.trigger(job).handler("echo", "2").block(strategy), 200, "2");
        return "runs as any other";
    }

    private String coverEarly() throws InterruptedException {
        int job = session.newJob();
        Trigger running = session.startSleeper(job, "sleep", 60_000);
        Trigger queued = session.accept(session.trigger(job).handler("sleep", "1"));
        Trigger cover = session.accept(session.trigger(job).handler("sleep", "1").block("COVER_EARLY"));
        session.ends(running, 500, COVER + RUNNING_KILLED);
        session.ends(queued, 500, COVER + QUEUED_KILLED);
        session.ends(cover, 200, "slept");
        return COVER + RUNNING_KILLED;
    }

    private String handlerChanged() throws InterruptedException {
        int job = session.newJob();
        Trigger running = session.startSleeper(job, "sleep", 60_000);
        Trigger changed = session.accept(session.trigger(job).handler("echo", "new"));
        String reason = "change jobhandler or glue type, and terminate the old job thread.";
        session.ends(running, 500, reason + RUNNING_KILLED);
        session.ends(changed, 200, "new");
        return reason + RUNNING_KILLED;
    }

    /** Java refuses the repeat, we answer 200 to it; both say so in msg, and run it once. */
    private String repeat() throws InterruptedException {
        int job = session.newJob();
        Trigger running = session.startSleeper(job, "sleep", 400);
        Trigger queued = session.accept(session.trigger(job).handler("sleep", "1"));
        Answer again = session.executor.run(queued);
        Expect.matches("msg", again.msg(), "repeate? trigger job, logId:" + queued.logId);
        session.ends(running, 200, "slept");
        session.ends(queued, 200, "slept");
        return again.code() + " " + again.msg();
    }
}
