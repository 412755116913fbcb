package interop.driver;

/**
 * What an executor answered, as the release's own client read it.
 *
 * @param payload what the release finds beside code and msg: under "content" up to 3.2.0, under "data" from 3.3.0
 */
record Answer(int code, String msg, String payload) {

    /** The same answer with no nulls, so that texts can be compared whatever the release leaves out. */
    Answer {
        msg = msg == null ? "" : msg;
        payload = payload == null ? "" : payload;
    }
}
