package interop.driver;

import com.xxl.job.core.biz.ExecutorBiz;
import com.xxl.job.core.biz.client.ExecutorBizClient;
import com.xxl.job.core.biz.model.HandleCallbackParam;
import com.xxl.job.core.biz.model.IdleBeatParam;
import com.xxl.job.core.biz.model.KillParam;
import com.xxl.job.core.biz.model.LogParam;
import com.xxl.job.core.biz.model.LogResult;
import com.xxl.job.core.biz.model.RegistryParam;
import com.xxl.job.core.biz.model.ReturnT;
import com.xxl.job.core.biz.model.TriggerParam;
import com.xxl.job.core.util.GsonTool;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** Releases 2.2.0 to 3.2.0: package biz, the executor called through ExecutorBizClient. */
final class BizRelease implements Release {

    /** 3.2.0 alone has ReturnT.isSuccess; it also moved texts of a success from msg to content. */
    private final boolean release320 = hasMethod(ReturnT.class, "isSuccess");

    @Override
    public ExecutorClient client(String url, String token) {
        return new Client(newClient(url, token));
    }

    /** 2.2.0 to 2.4.2 have a constructor without, 2.5.0 to 3.2.0 one with the timeout in seconds. */
    private static ExecutorBiz newClient(String url, String token) {
        try {
            for (Constructor<?> c : ExecutorBizClient.class.getConstructors()) {
                if (c.getParameterCount() == 2) {
                    return (ExecutorBiz) c.newInstance(url, token);
                }
                if (c.getParameterCount() == 3) {
                    return (ExecutorBiz) c.newInstance(url, token, TIMEOUT_SECONDS);
                }
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot make an ExecutorBizClient", e);
        }
        throw new IllegalStateException("this release makes ExecutorBizClient in a way the driver does not know");
    }

    @Override
    public String killText(Answer answer) {
        return release320 ? answer.payload() : answer.msg();
    }

    @Override
    public List<Result> results(String body) {
        // Not fromJsonList: before 3.2.0 it returns a list of maps.
        List<?> items = GsonTool.fromJson(body, List.class, HandleCallbackParam.class);
        List<Result> results = new ArrayList<>();
        for (Object item : items) {
            results.add(result((HandleCallbackParam) item));
        }
        return results;
    }

    private static Result result(HandleCallbackParam item) {
        if (hasMethod(HandleCallbackParam.class, "getExecuteResult")) { // 2.2.0 wraps code and msg
            ReturnT<?> wrapped = (ReturnT<?>) call(item, "getExecuteResult");
            return new Result(item.getLogId(), item.getLogDateTim(), wrapped.getCode(), wrapped.getMsg());
        }
        int code = (int) call(item, "getHandleCode"); // 2.3.0 and later
        String msg = (String) call(item, "getHandleMsg");
        return new Result(item.getLogId(), item.getLogDateTim(), code, msg);
    }

    @Override
    public Registration registration(String body) {
        RegistryParam param = GsonTool.fromJson(body, RegistryParam.class);
        return new Registration(param.getRegistryGroup(), param.getRegistryKey(), param.getRegistryValue());
    }

    @Override
    public String success() {
        return release320
                ? "{\"code\":200,\"msg\":\"Success\",\"content\":null,\"success\":true}"
                : "{\"code\":200,\"msg\":null,\"content\":null}";
    }

    private static boolean hasMethod(Class<?> type, String name) {
        for (Method method : type.getMethods()) {
            if (method.getName().equals(name)) {
                return true;
            }
        }
        return false;
    }

    private static Object call(Object target, String getter) {
        try {
            return target.getClass().getMethod(getter).invoke(target);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read " + getter, e);
        }
    }

    private record Client(ExecutorBiz biz) implements ExecutorClient {

        @Override
        public Answer beat() {
            return answer(biz.beat());
        }

        @Override
        public Answer idleBeat(int jobId) {
            return answer(biz.idleBeat(new IdleBeatParam(jobId)));
        }

        @Override
        public Answer run(Trigger trigger) {
            TriggerParam param = new TriggerParam();
            param.setJobId(trigger.jobId);
            param.setExecutorHandler(trigger.handler);
            param.setExecutorParams(trigger.params);
            param.setExecutorBlockStrategy(trigger.blockStrategy);
            param.setExecutorTimeout(trigger.timeoutSeconds);
            param.setLogId(trigger.logId);
            param.setLogDateTime(trigger.logTime);
            param.setGlueType(trigger.glueType);
            param.setGlueSource(trigger.glueSource);
            param.setGlueUpdatetime(trigger.glueUpdateTime);
            param.setBroadcastIndex(trigger.shardIndex);
            param.setBroadcastTotal(trigger.shardTotal);
            return answer(biz.run(param));
        }

        @Override
        public Answer kill(int jobId) {
            return answer(biz.kill(new KillParam(jobId)));
        }

        @Override
        public LogPage log(long logId, long logTime, int fromLine) {
            ReturnT<LogResult> answer = biz.log(new LogParam(logTime, logId, fromLine));
            LogResult log = answer.getContent();
            if (answer.getCode() != 200 || log == null) {
                throw new IllegalStateException("/log answered " + answer.getCode() + " " + answer.getMsg());
            }
            return new LogPage(log.getFromLineNum(), log.getToLineNum(), log.getLogContent(), log.isEnd());
        }

        private static Answer answer(ReturnT<String> answer) {
            return new Answer(answer.getCode(), answer.getMsg(), answer.getContent());
        }
    }
}
