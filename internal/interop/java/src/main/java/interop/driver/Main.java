package interop.driver;

import interop.Flags;

/**
 * Plays the admin of one xxl-job release towards an executor, and checks what the executor does.
 *
 * <p>Flags: -executor URL -token T -appname A -work DIR [-listen PORT] [-resend]. The executor is started by somebody
 * else after the line "listening", with the admin address {@code http://127.0.0.1:PORT/xxl-job-admin}; it is asked to
 * stop by the line "stop", which is answered with the line "stopped" on standard input. -resend adds the check of
 * {@link ResendChecks}. Exit status 1 means that a check failed.
 */
public final class Main {

    private Main() {}

    public static void main(String[] args) throws Exception {
        Flags flags = new Flags(args);
        Release release = Release.load();
        Ledger ledger = new Ledger();
        Report report = new Report();
        Script script = new Script(report);

        int port = Integer.parseInt(flags.get("listen", "0"));
        try (AdminServer admin = new AdminServer(release, ledger, flags.require("token"), port)) {
            report.listening(admin.port());
            run(script, new Session(flags, release, admin, ledger), report, flags.get("resend", "").equals("true"));
        }
        report.summary(script.checks(), script.failed());
        System.exit(script.failed() == 0 ? 0 : 1);
    }

    private static void run(Script script, Session session, Report report, boolean resend) {
        LifeChecks life = new LifeChecks(session, report);
        life.addStart(script);
        if (script.failed() > 0) {
            return; // an executor that is not there would fail every check
        }
        new CallChecks(session).addTo(script);
        new ResultChecks(session).addTo(script);
        new BlockChecks(session).addTo(script);
        new KillChecks(session).addTo(script);
        new LogChecks(session).addTo(script);
        new ScriptChecks(session).addTo(script);
        if (resend) {
            new ResendChecks(session).addTo(script);
        }
        life.addStop(script);
    }
}
