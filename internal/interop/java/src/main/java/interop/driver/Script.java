package interop.driver;

import java.util.HashSet;
import java.util.Set;

/** Runs checks one after another and reports each; a check that fails does not stop the next. */
final class Script {

    /** One check: returns a line of evidence, fails by any exception. */
    interface Check {
        String run() throws Exception;
    }

    private final Report report;
    private final Set<String> names = new HashSet<>();
    private int failed;

    Script(Report report) {
        this.report = report;
    }

    void check(String name, Check check) {
        if (!names.add(name)) {
            throw new IllegalArgumentException("two checks are named " + name);
        }
        long start = System.nanoTime();
        try {
            report.check(name, true, check.run(), millisSince(start));
        } catch (Exception | AssertionError e) {
            failed++;
            report.check(name, false, describe(e), millisSince(start));
        }
    }

    int checks() {
        return names.size();
    }

    int failed() {
        return failed;
    }

    private static long millisSince(long start) {
        return (System.nanoTime() - start) / 1_000_000;
    }

    /** An assertion speaks for itself; of anything else the causes, and where in the driver it came up. */
    private static String describe(Throwable e) {
        if (e instanceof AssertionError) {
            return e.getMessage();
        }
        StringBuilder text = new StringBuilder();
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            text.append(cause).append("; ");
        }
        for (StackTraceElement frame : e.getStackTrace()) {
            if (frame.getClassName().startsWith(Script.class.getPackageName())) {
                return text.append("at ").append(frame).toString();
            }
        }
        return text.toString();
    }
}
