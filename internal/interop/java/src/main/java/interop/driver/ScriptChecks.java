package interop.driver;

/** Scripts that the admin sends along; the executor has to be started with them switched on. */
final class ScriptChecks {

    private static final String FINISH = "xxl-job job callback finish.";

    private final Session session;

    ScriptChecks(Session session) {
        this.session = session;
    }

    void addTo(Script script) {
        script.check("script", this::arguments);
        script.check("script-exit", this::exit);
        script.check("script-stderr", this::standardError);
        script.check("script-changed", this::changed);
    }

    private Trigger shell(int job, String source) {
        return session.trigger(job).glue("GLUE_SHELL", source);
    }

    private String arguments() throws InterruptedException {
        Trigger trigger = shell(session.newJob(), "echo \"args $1|$2|$3 定时\"").handler("", "p q").shard(2, 5);
        session.runs(trigger, 200, "");
        LogPage page = session.awaitLog(trigger, FINISH);
        Expect.that(page.lines().contains("args p q|2|5 定时"), "no line of the script in\n" + page.content());
        return "args p q|2|5";
    }

    private String exit() throws InterruptedException {
        Result result = session.runs(shell(session.newJob(), "exit 3"), 500, "script exit value(3) is failed");
        return result.msg();
    }

    private String standardError() throws InterruptedException {
        Trigger trigger = shell(session.newJob(), "echo oops >&2");
        session.runs(trigger, 200, "");
        LogPage page = session.awaitLog(trigger, FINISH);
        Expect.that(page.lines().contains("oops"), "no line of standard error in\n" + page.content());
        return "in the same log";
    }

    /** A newer source ends the run of the older one, and is what runs then. */
    private String changed() throws InterruptedException {
        int job = session.newJob();
        Trigger old = session.accept(shell(job, "echo started; sleep 10"));
        session.awaitLog(old, "started");
        Trigger changed = shell(job, "exit 4");
        changed.glueUpdateTime = old.glueUpdateTime + 1;
        session.accept(changed);
        String reason = "change job source or glue type, and terminate the old job thread.";
        session.ends(old, 500, reason + BlockChecks.RUNNING_KILLED);
        session.ends(changed, 500, "script exit value(4) is failed");
        return reason + BlockChecks.RUNNING_KILLED;
    }
}
