package interop.executor;

import com.xxl.job.core.executor.impl.XxlJobSimpleExecutor;
import interop.Flags;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Java's own executor with the kitchen-sink handlers: what the checks are themselves checked against.
 *
 * <p>Flags: -port -admin -token -appname -logpath -ip. SIGTERM stops it as a service would be stopped.
 */
public final class Main {

    private Main() {}

    public static void main(String[] args) throws Exception {
        Flags flags = new Flags(args);

        XxlJobSimpleExecutor executor = new XxlJobSimpleExecutor();
        executor.setXxlJobBeanList(List.of(new KitchenSink()));
        executor.setAdminAddresses(flags.require("admin"));
        executor.setAccessToken(flags.require("token"));
        executor.setAppname(flags.get("appname", "kitchensink"));
        executor.setIp(flags.get("ip", "127.0.0.1"));
        executor.setPort(Integer.parseInt(flags.require("port")));
        executor.setLogPath(flags.require("logpath"));
        executor.setLogRetentionDays(30);

        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            executor.destroy();
            stopped.countDown();
        }));
        executor.start();
        stopped.await();
    }
}
