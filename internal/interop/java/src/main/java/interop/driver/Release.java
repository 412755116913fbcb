package interop.driver;

import java.util.List;

/**
 * One release of xxl-job-core: its own client towards executors, its own classes to decode what executors send.
 *
 * <p>There are two implementations, of which the build compiles the one that the release has classes for.
 */
interface Release {

    /** How long a call may take; the default of every release. */
    int TIMEOUT_SECONDS = 3;

    /** The release's own client for the executor at url, as its admin would make it. */
    ExecutorClient client(String url, String token);

    /** The text of a successful kill, read from where the release's own executor puts it. */
    String killText(Answer answer);

    /** Decodes the body of /api/callback as the release's admin does. */
    List<Result> results(String body);

    /** Decodes the body of /api/registry and /api/registryRemove as the release's admin does. */
    Registration registration(String body);

    /** The body with which the release's admin answers a call that it took. */
    String success();

    /** The release on the class path. */
    static Release load() throws ReflectiveOperationException {
        Class<?> found;
        try {
            found = Class.forName("interop.driver.BizRelease");
        } catch (ClassNotFoundException from330) {
            found = Class.forName("interop.driver.ToolRelease");
        }
        return (Release) found.getDeclaredConstructor().newInstance();
    }
}
