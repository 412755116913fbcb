package interop.driver;

import java.util.List;
import java.util.stream.IntStream;

/** /log: what is in a run's log, and how it is read in parts. */
final class LogChecks {

    private static final String FINISH = "xxl-job job callback finish.";
    private static final String PREFIX =
            "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d \\[[^\\]#]+#[^\\]]+\\]-\\[\\d+\\]-\\[[^\\]]+\\] ";

    private final Session session;
    private Trigger lines;
    private LogPage whole;

    LogChecks(Session session) {
        this.session = session;
    }

    void addTo(Script script) {
        script.check("log-lines", this::wholeLog);
        script.check("log-from-each-line", this::fromEachLine);
        script.check("log-from-zero", this::fromZero);
        script.check("log-beyond-end", this::beyondEnd);
        script.check("log-missing", this::missing);
        script.check("log-awkward-text", this::awkwardText);
        script.check("log-of-failure", this::failure);
    }

    private String wholeLog() throws InterruptedException {
        lines = session.accept(session.trigger(session.newJob()).handler("lines", "10"));
        Expect.equal("code", session.result(lines).code(), 200);
        whole = session.awaitLog(lines, FINISH);
        List<String> got = whole.lines();
        Expect.contains("first line", got.get(0), "----------- xxl-job job execute start -----------");
        Expect.contains("first line", got.get(0), "Param:10");
        List<String> own = got.stream().filter(l -> l.matches(PREFIX + "line \\d+")).toList();
        List<String> texts = own.stream().map(l -> l.replaceFirst(PREFIX, "")).toList();
        List<String> want = IntStream.rangeClosed(1, 10).mapToObj(i -> "line " + i).toList();
        Expect.equal("lines of the handler in\n" + whole.content(), texts, want);
        Expect.contains("log", whole.content(), "xxl-job job execute end(finish)");
        Expect.contains("last line", got.get(got.size() - 1), FINISH);
        Expect.equal("fromLineNum", whole.from(), 1);
        Expect.equal("toLineNum", whole.to(), got.size());
        Expect.equal("isEnd", whole.end(), false);
        return got.size() + " lines";
    }

    private String fromEachLine() {
        List<String> all = whole.lines();
        for (int from = 1; from <= all.size(); from++) {
            LogPage page = read(from);
            Expect.equal("lines from " + from, page.lines(), all.subList(from - 1, all.size()));
            Expect.equal("fromLineNum", page.from(), from);
            Expect.equal("toLineNum from " + from, page.to(), all.size());
            Expect.equal("isEnd from " + from, page.end(), false);
        }
        return "from 1 to " + all.size();
    }

    private String fromZero() {
        Expect.equal("lines from 0", read(0).lines(), whole.lines());
        Expect.equal("lines from -5", read(-5).lines(), whole.lines());
        return "0 and -5 read everything";
    }

    /** An admin stops reading when toLineNum is below fromLineNum; the number itself differs by release. */
    private String beyondEnd() {
        int from = whole.to() + 1;
        LogPage page = read(from);
        Expect.equal("logContent", page.content(), "");
        Expect.equal("fromLineNum", page.from(), from);
        Expect.that(page.to() < from, "toLineNum = " + page.to() + ", want less than " + from);
        Expect.equal("isEnd", page.end(), false);
        return "toLineNum " + page.to();
    }

    private String missing() {
        Trigger never = session.trigger(session.newJob());
        LogPage page = session.executor.log(never.logId, never.logTime, 1);
        Expect.equal("logContent", page.content(), "readLog fail, logFile not exists");
        Expect.equal("isEnd", page.end(), true);
        Expect.equal("fromLineNum", page.from(), 1);
        Expect.equal("toLineNum", page.to(), 0);
        return page.content();
    }

    private String awkwardText() throws InterruptedException {
        Trigger echo = session.accept(session.trigger(session.newJob()).handler("echo", ResultChecks.AWKWARD));
        LogPage page = session.awaitLog(echo, FINISH);
        Expect.contains("log", page.content(), "] " + ResultChecks.AWKWARD + "\n");
        return page.lines().size() + " lines";
    }

    private String failure() throws InterruptedException {
        Trigger panic = session.accept(session.trigger(session.newJob()).handler("panic", "the reason"));
        LogPage page = session.awaitLog(panic, FINISH);
        Expect.contains("log", page.content(), "the reason");
        Expect.contains("log", page.content(), "xxl-job job execute end(error)");
        return "reason and end(error)";
    }

    private LogPage read(int from) {
        return session.executor.log(lines.logId, lines.logTime, from);
    }
}
