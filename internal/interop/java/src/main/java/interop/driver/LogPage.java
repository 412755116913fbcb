package interop.driver;

import java.util.List;

/** One answer of /log: the lines of a run's log from one line on. */
record LogPage(int from, int to, String content, boolean end) {

    /** The lines without their terminators; releases end them with \n or \r\n. */
    List<String> lines() {
        return content.lines().toList();
    }
}
