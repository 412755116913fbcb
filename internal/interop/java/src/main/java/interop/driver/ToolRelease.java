package interop.driver;

import com.xxl.job.core.constant.Const;
import com.xxl.job.core.openapi.ExecutorBiz;
import com.xxl.job.core.openapi.model.CallbackRequest;
import com.xxl.job.core.openapi.model.IdleBeatRequest;
import com.xxl.job.core.openapi.model.KillRequest;
import com.xxl.job.core.openapi.model.LogRequest;
import com.xxl.job.core.openapi.model.LogResult;
import com.xxl.job.core.openapi.model.RegistryRequest;
import com.xxl.job.core.openapi.model.TriggerRequest;
import com.xxl.tool.http.HttpTool;
import com.xxl.tool.json.GsonTool;
import com.xxl.tool.response.Response;
import java.util.ArrayList;
import java.util.List;

/** Releases 3.3.0 to 3.4.2: package openapi, the executor called through the client proxy of xxl-tool. */
final class ToolRelease implements Release {

    @Override
    public ExecutorClient client(String url, String token) {
        return new Client(HttpTool.createClient()
                .url(url)
                .timeout(TIMEOUT_SECONDS * 1000)
                .header(Const.XXL_JOB_ACCESS_TOKEN, token)
                .proxy(ExecutorBiz.class));
    }

    @Override
    public String killText(Answer answer) {
        return answer.payload();
    }

    @Override
    public List<Result> results(String body) {
        List<CallbackRequest> items = GsonTool.fromJsonList(body, CallbackRequest.class);
        List<Result> results = new ArrayList<>();
        for (CallbackRequest item : items) {
            results.add(new Result(item.getLogId(), item.getLogDateTim(), item.getHandleCode(), item.getHandleMsg()));
        }
        return results;
    }

    @Override
    public Registration registration(String body) {
        RegistryRequest request = GsonTool.fromJson(body, RegistryRequest.class);
        return new Registration(request.getRegistryGroup(), request.getRegistryKey(), request.getRegistryValue());
    }

    @Override
    public String success() {
        return "{\"code\":200,\"data\":null,\"msg\":\"Success\",\"success\":true}";
    }

    private record Client(ExecutorBiz biz) implements ExecutorClient {

        @Override
        public Answer beat() {
            return answer(biz.beat());
        }

        @Override
        public Answer idleBeat(int jobId) {
            return answer(biz.idleBeat(new IdleBeatRequest(jobId)));
        }

        @Override
        public Answer run(Trigger trigger) {
            TriggerRequest request = new TriggerRequest();
            request.setJobId(trigger.jobId);
            request.setExecutorHandler(trigger.handler);
            request.setExecutorParams(trigger.params);
            request.setExecutorBlockStrategy(trigger.blockStrategy);
            request.setExecutorTimeout(trigger.timeoutSeconds);
            request.setLogId(trigger.logId);
            request.setLogDateTime(trigger.logTime);
            request.setGlueType(trigger.glueType);
            request.setGlueSource(trigger.glueSource);
            request.setGlueUpdatetime(trigger.glueUpdateTime);
            request.setBroadcastIndex(trigger.shardIndex);
            request.setBroadcastTotal(trigger.shardTotal);
            return answer(biz.run(request));
        }

        @Override
        public Answer kill(int jobId) {
            return answer(biz.kill(new KillRequest(jobId)));
        }

        @Override
        public LogPage log(long logId, long logTime, int fromLine) {
            Response<LogResult> answer = biz.log(new LogRequest(logTime, logId, fromLine));
            LogResult log = answer.getData();
            if (answer.getCode() != 200 || log == null) {
                throw new IllegalStateException("/log answered " + answer.getCode() + " " + answer.getMsg());
            }
            return new LogPage(log.getFromLineNum(), log.getToLineNum(), log.getLogContent(), log.isEnd());
        }

        private static Answer answer(Response<String> answer) {
            return new Answer(answer.getCode(), answer.getMsg(), answer.getData());
        }
    }
}
