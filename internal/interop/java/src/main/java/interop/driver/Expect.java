package interop.driver;

import java.util.Objects;

/** Assertions whose text says what was looked at, what was found and what was wanted. */
final class Expect {

    private static final int SHOWN = 600;

    private Expect() {}

    static void equal(String what, Object got, Object want) {
        if (!Objects.equals(got, want)) {
            throw new AssertionError(what + " = " + show(got) + ", want " + show(want));
        }
    }

    static void contains(String what, String got, String want) {
        if (got == null || !got.contains(want)) {
            throw new AssertionError(what + " = " + show(got) + ", want it to contain " + show(want));
        }
    }

    static void matches(String what, String got, String pattern) {
        if (got == null || !got.matches(pattern)) {
            throw new AssertionError(what + " = " + show(got) + ", want it to match " + pattern);
        }
    }

    static void that(boolean holds, String text) {
        if (!holds) {
            throw new AssertionError(text);
        }
    }

    private static String show(Object value) {
        String text = value instanceof String ? "\"" + value + "\"" : String.valueOf(value);
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "… (" + text.length() + " chars)";
    }
}
