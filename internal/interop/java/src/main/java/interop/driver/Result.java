package interop.driver;

/** One result as the release's own callback class decoded it: 200 success, 500 failure, 502 timeout. */
record Result(long logId, long logTime, int code, String msg) {

    Result {
        msg = msg == null ? "" : msg;
    }

    /** Whether two deliveries say the same, as a resend has to. */
    boolean sameAs(Result other) {
        return code == other.code && msg.equals(other.msg);
    }
}
