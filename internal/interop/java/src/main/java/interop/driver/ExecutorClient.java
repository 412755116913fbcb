package interop.driver;

/** The five calls of an admin to an executor, made by a release's own client. */
interface ExecutorClient {

    Answer beat();

    Answer idleBeat(int jobId);

    Answer run(Trigger trigger);

    Answer kill(int jobId);

    /** Reads the log of a run; fails when the executor answers with another code than 200. */
    LogPage log(long logId, long logTime, int fromLine);
}
