package interop.driver;

/** The calls that start nothing: beat, idleBeat, kill of an unknown job, and refusals. */
final class CallChecks {

    private static final String TOKEN_TEXT = "The access token is wrong.";

    private final Session session;

    CallChecks(Session session) {
        this.session = session;
    }

    void addTo(Script script) {
        script.check("beat", this::beat);
        script.check("wrong-token", () -> wrongToken("not-" + session.appName));
        script.check("empty-token", () -> wrongToken(""));
        script.check("idle-beat-idle", this::idleBeatIdle);
        script.check("idle-beat-busy", this::idleBeatBusy);
        script.check("kill-unknown", this::killUnknown);
        script.check("unknown-handler", this::unknownHandler);
        script.check("glue-type-invalid", () -> glueType("FOO"));
        script.check("glue-type-lower-case", () -> glueType("bean"));
        script.check("glue-type-missing", () -> glueType(null));
    }

    private String beat() {
        for (int i = 0; i < 5; i++) { // more than once, so that a kept connection is used as well
            Answer answer = session.executor.beat();
            Expect.equal("code of /beat", answer.code(), 200);
            Expect.equal("payload of /beat", answer.payload(), "");
        }
        return "200, five times";
    }

    private String wrongToken(String token) {
        ExecutorClient intruder = session.executorWithToken(token);
        int job = session.newJob();
        Trigger trigger = session.trigger(job).handler("echo", "stolen");
        session.ledger.refuse(trigger);
        for (Answer answer : new Answer[] {
            intruder.beat(), intruder.idleBeat(job), intruder.run(trigger), intruder.kill(job)
        }) {
            Expect.equal("code", answer.code(), 500);
            Expect.equal("msg", answer.msg(), TOKEN_TEXT);
        }
        return TOKEN_TEXT;
    }

    private String idleBeatIdle() throws InterruptedException {
        int job = session.newJob();
        Expect.equal("code for a job never seen", session.executor.idleBeat(job).code(), 200);
        Trigger trigger = session.accept(session.trigger(job).handler("echo", "x"));
        session.ends(trigger, 200, "x");
        session.awaitLog(trigger, "xxl-job job callback finish.");
        Expect.equal("code after the run", session.executor.idleBeat(job).code(), 200);
        return "200 before and after a run";
    }

    private String idleBeatBusy() throws InterruptedException {
        int job = session.newJob();
        Trigger trigger = session.startSleeper(job, "sleep", 500);
        Answer answer = session.executor.idleBeat(job);
        Expect.equal("code", answer.code(), 500);
        Expect.equal("msg", answer.msg(), "job thread is running or has trigger queue.");
        Expect.equal("code for another job", session.executor.idleBeat(session.newJob()).code(), 200);
        session.ends(trigger, 200, "slept");
        return answer.msg();
    }

    private String killUnknown() {
        Answer answer = session.executor.kill(session.newJob());
        Expect.equal("code", answer.code(), 200);
        String text = session.release.killText(answer);
        Expect.equal("text in " + answer, text, "job thread already killed.");
        return text;
    }

    private String unknownHandler() throws InterruptedException {
        int job = session.newJob();
        Trigger running = session.startSleeper(job, "sleep", 300);
        String text = session.refuse(session.trigger(job).handler("no such handler", ""));
        Expect.equal("msg", text, "job handler [no such handler] not found.");
        session.ends(running, 200, "slept"); // the refused trigger left the running one alone
        return text;
    }

    private String glueType(String type) {
        String text = session.refuse(session.trigger(session.newJob()).handler("echo", "").glue(type, ""));
        Expect.equal("msg", text, "glueType[" + type + "] is not valid.");
        return text;
    }
}
