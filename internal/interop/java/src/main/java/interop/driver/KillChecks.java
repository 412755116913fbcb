package interop.driver;

/** /kill of running, queued and deaf runs. */
final class KillChecks {

    private static final String KILLED = "scheduling center kill job.";

    private final Session session;

    KillChecks(Session session) {
        this.session = session;
    }

    void addTo(Script script) {
        script.check("kill", this::kill);
        script.check("kill-queued", this::killQueued);
        script.check("kill-stubborn", this::killStubborn);
        script.check("kill-twice", this::killTwice);
    }

    private String kill() throws InterruptedException {
        int job = session.newJob();
        Trigger running = session.startSleeper(job, "sleep", 60_000);
        killNow(job);
        Result result = session.ends(running, 500, KILLED + BlockChecks.RUNNING_KILLED);
        Expect.equal("code of /idleBeat after the kill", session.executor.idleBeat(job).code(), 200);
        return result.msg();
    }

    private String killQueued() throws InterruptedException {
        int job = session.newJob();
        Trigger running = session.startSleeper(job, "sleep", 60_000);
        Trigger queued = session.accept(session.trigger(job).handler("sleep", "1"));
        killNow(job);
        session.ends(running, 500, KILLED + BlockChecks.RUNNING_KILLED);
        Result result = session.ends(queued, 500, KILLED + BlockChecks.QUEUED_KILLED);
        return result.msg();
    }

    /** A handler that does not listen: the kill is answered at once, and its own success does not count. */
    private String killStubborn() throws InterruptedException {
        int job = session.newJob();
        Trigger deaf = session.startSleeper(job, "stubborn", 1_500);
        long start = System.nanoTime();
        killNow(job);
        long millis = (System.nanoTime() - start) / 1_000_000;
        Expect.that(millis < 1_000, "/kill took " + millis + " ms");
        Result result = session.ends(deaf, 500, KILLED + BlockChecks.RUNNING_KILLED);
        session.runs(session.trigger(job).handler("echo", "next"), 200, "next");
        return result.msg();
    }

    private String killTwice() throws InterruptedException {
        int job = session.newJob();
        Trigger running = session.startSleeper(job, "sleep", 60_000);
        killNow(job);
        Answer second = session.executor.kill(job);
        Expect.equal("code of the second /kill", second.code(), 200);
        session.ends(running, 500, KILLED + BlockChecks.RUNNING_KILLED);
        return session.release.killText(second);
    }

    private void killNow(int job) {
        Answer answer = session.executor.kill(job);
        Expect.equal("code of /kill (msg \"" + answer.msg() + "\")", answer.code(), 200);
    }
}
