package interop;

import java.util.HashMap;
import java.util.Map;

/** The command line of both programs: {@code -key value}, {@code --key value} or {@code -key=value}. */
public final class Flags {

    private final Map<String, String> values = new HashMap<>();

    /** Reads the flags; one that is followed by another flag, or by nothing, has the value "true". */
    public Flags(String[] args) {
        for (int i = 0; i < args.length; i++) {
            if (!args[i].startsWith("-")) {
                throw new IllegalArgumentException("not a flag: " + args[i]);
            }
            String key = args[i].replaceFirst("^--?", "");
            int equals = key.indexOf('=');
            if (equals >= 0) {
                values.put(key.substring(0, equals), key.substring(equals + 1));
            } else if (i + 1 < args.length && !args[i + 1].startsWith("-")) {
                values.put(key, args[++i]);
            } else {
                values.put(key, "true");
            }
        }
    }

    /** The value of a flag, or the fallback where it was not given. */
    public String get(String key, String fallback) {
        return values.getOrDefault(key, fallback);
    }

    /** The value of a flag that has to be given. */
    public String require(String key) {
        String value = values.get(key);
        if (value == null) {
            throw new IllegalArgumentException("flag -" + key + " is missing");
        }
        return value;
    }
}
