package interop.driver;

/** A result that the admin refused. Java's executor waits 30 s before it sends again, so it is spared this check. */
final class ResendChecks {

    private final Session session;

    ResendChecks(Session session) {
        this.session = session;
    }

    void addTo(Script script) {
        script.check("refused-result", this::refused);
    }

    private String refused() throws InterruptedException {
        session.admin.refuseCallbacks(1);
        long start = System.nanoTime();
        Trigger trigger = session.accept(session.trigger(session.newJob()).handler("echo", "kept"));
        session.ends(trigger, 200, "kept");
        long millis = (System.nanoTime() - start) / 1_000_000;
        Expect.equal("callbacks still to refuse", session.admin.refusalsLeft(), 0);
        session.awaitLog(trigger, "xxl-job job callback finish.");
        return "sent again after " + millis + " ms";
    }
}
