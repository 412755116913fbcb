package interop.driver;

/** The body of registry and registryRemove: group EXECUTOR, key the app name, value the address to call. */
record Registration(String group, String key, String value) {}
