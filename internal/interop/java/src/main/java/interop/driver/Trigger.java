package interop.driver;

/** One trigger, in the words of the protocol but of no release. Setters return this. */
final class Trigger {

    final int jobId;
    final long logId;
    final long logTime;

    String handler = "";
    String params = "";
    String blockStrategy = "SERIAL_EXECUTION";
    int timeoutSeconds;
    String glueType = "BEAN";
    String glueSource = "";
    long glueUpdateTime;
    int shardIndex;
    int shardTotal = 1;

    Trigger(int jobId, long logId, long logTime) {
        this.jobId = jobId;
        this.logId = logId;
        this.logTime = logTime;
    }

    Trigger handler(String name, String params) {
        this.handler = name;
        this.params = params;
        return this;
    }

    Trigger block(String strategy) {
        this.blockStrategy = strategy;
        return this;
    }

    Trigger timeout(int seconds) {
        this.timeoutSeconds = seconds;
        return this;
    }

    Trigger glue(String type, String source) {
        this.glueType = type;
        this.glueSource = source;
        this.glueUpdateTime = logTime;
        return this;
    }

    Trigger shard(int index, int total) {
        this.shardIndex = index;
        this.shardTotal = total;
        return this;
    }

    @Override
    public String toString() {
        return "job " + jobId + " log " + logId;
    }
}
