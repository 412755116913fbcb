package interop.executor;

import com.xxl.job.core.context.XxlJobContext;
import com.xxl.job.core.context.XxlJobHelper;
import com.xxl.job.core.handler.annotation.XxlJob;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/** The handlers that every executor under test has, in any language. A missing param counts as empty. */
public final class KitchenSink {

    private static volatile long spun;

    /** Logs its param as one entry and succeeds with it as the message. */
    @XxlJob("echo")
    public void echo() {
        XxlJobHelper.log("{}", param());
        XxlJobHelper.handleSuccess(param());
    }

    /** Sleeps param milliseconds; interruption ends it early with the exception. */
    @XxlJob("sleep")
    public void sleep() throws InterruptedException {
        Thread.sleep(number());
        XxlJobHelper.handleSuccess("slept");
    }

    /** Sleeps param milliseconds and is deaf to interruption. */
    @XxlJob("stubborn")
    public void stubborn() {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(number());
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            try {
                TimeUnit.NANOSECONDS.sleep(left);
            } catch (InterruptedException ignored) {
                // Being deaf is what this handler is for.
            }
        }
        XxlJobHelper.handleSuccess("stubborn done");
    }

    /** Fails with its param as the message. */
    @XxlJob("fail")
    public void fail() {
        XxlJobHelper.handleFail(param());
    }

    /** Throws an exception with its param as the message. */
    @XxlJob("panic")
    public void panic() {
        throw new IllegalStateException(param());
    }

    /** Logs param lines: line 1, line 2 and so on. */
    @XxlJob("lines")
    public void lines() {
        long n = number();
        for (long i = 1; i <= n; i++) {
            XxlJobHelper.log("line {}", i);
        }
    }

    /** Succeeds with a message of param times the letter x. */
    @XxlJob("bigmsg")
    public void bigmsg() {
        XxlJobHelper.handleSuccess("x".repeat((int) number()));
    }

    /** Succeeds with index/total of its shard as the message. */
    @XxlJob("shard")
    public void shard() {
        XxlJobHelper.handleSuccess(XxlJobHelper.getShardIndex() + "/" + XxlJobHelper.getShardTotal());
    }

    /** Computes for ever. */
    @XxlJob("spin")
    public void spin() {
        for (long n = 0; ; n++) {
            spun = n;
        }
    }

    /** Returns at once. */
    @XxlJob("bench")
    public void bench() {
        // Success is the result of a handler that sets none.
    }

    /** Appends its log id as a line to the file that its param names, and has it on disk when it returns. */
    @XxlJob("mark")
    public void mark() throws IOException {
        ByteBuffer line = StandardCharsets.UTF_8.encode(logId() + "\n");
        try (FileChannel file = FileChannel.open(
                Path.of(param()), StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            while (line.hasRemaining()) {
                file.write(line);
            }
            file.force(true);
        }
    }

    private static String param() {
        String param = XxlJobHelper.getJobParam();
        return param == null ? "" : param;
    }

    private static long number() {
        String param = param().trim();
        return param.isEmpty() ? 0 : Long.parseLong(param);
    }

    /** The log id of this run: 3.3.0 and later tell it, before that only the name of the log file does. */
    private static String logId() {
        XxlJobContext context = XxlJobContext.getXxlJobContext();
        try {
            return context.getClass().getMethod("getLogId").invoke(context).toString();
        } catch (ReflectiveOperationException before330) {
            return logIdFromFile(context);
        }
    }

    private static String logIdFromFile(XxlJobContext context) {
        try {
            Object file = context.getClass().getMethod("getJobLogFileName").invoke(context);
            return Path.of(file.toString()).getFileName().toString().replaceFirst("\\.log$", "");
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this release tells neither log id nor log file", e);
        }
    }
}
