package interop.driver;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What the admin stand-in was told, in order of arrival, and which triggers the executor took.
 *
 * <p>Safe for concurrent use: the HTTP threads write, the checks read and wait.
 */
final class Ledger {

    private final List<Result> results = new ArrayList<>();
    private final List<Registration> beats = new ArrayList<>();
    private final List<Registration> removals = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private final Set<Long> accepted = new LinkedHashSet<>();
    private final Set<Long> refused = new HashSet<>();
    private int beatsAtRemoval = -1;
    private int resultsAtRemoval = -1;

    synchronized void addResults(List<Result> more) {
        results.addAll(more);
        notifyAll();
    }

    synchronized void addBeat(Registration beat) {
        beats.add(beat);
        notifyAll();
    }

    synchronized void addRemoval(Registration removal) {
        if (removals.isEmpty()) {
            beatsAtRemoval = beats.size();
            resultsAtRemoval = results.size();
        }
        removals.add(removal);
        notifyAll();
    }

    /** Keeps a request that no admin would have taken. */
    synchronized void addFault(String text) {
        faults.add(text);
    }

    synchronized void accept(Trigger trigger) {
        accepted.add(trigger.logId);
    }

    synchronized void refuse(Trigger trigger) {
        refused.add(trigger.logId);
    }

    synchronized List<String> faults() {
        return List.copyOf(faults);
    }

    synchronized Set<Long> accepted() {
        return new LinkedHashSet<>(accepted);
    }

    /** Refused log ids for which a result came all the same, and log ids that nobody ever triggered. */
    synchronized Set<Long> strays() {
        Set<Long> strays = new HashSet<>();
        for (Result result : results) {
            if (refused.contains(result.logId()) || !accepted.contains(result.logId())) {
                strays.add(result.logId());
            }
        }
        return strays;
    }

    /** Every delivery for one log id. */
    synchronized List<Result> resultsOf(long logId) {
        return results.stream().filter(r -> r.logId() == logId).toList();
    }

    /** Beats that came after the first removal. */
    synchronized int beatsAfterRemoval() {
        return beatsAtRemoval < 0 ? 0 : beats.size() - beatsAtRemoval;
    }

    /** How many results had come when the first removal did, or -1 when none did. */
    synchronized int resultsAtRemoval() {
        return resultsAtRemoval;
    }

    /** How many results have come. */
    synchronized int resultCount() {
        return results.size();
    }

    /** Waits for the result of one log id. */
    Result awaitResult(long logId, long millis) throws InterruptedException {
        return await(results, r -> r.logId() == logId, millis, "no result for log " + logId);
    }

    /** Waits for the first beat. */
    Registration awaitBeat(long millis) throws InterruptedException {
        return await(beats, b -> true, millis, "no registry call");
    }

    /** Waits for the first registryRemove. */
    Registration awaitRemoval(long millis) throws InterruptedException {
        return await(removals, r -> true, millis, "no registryRemove call");
    }

    private synchronized <T> T await(List<T> in, Predicate<T> wanted, long millis, String missing)
            throws InterruptedException {
        long end = System.nanoTime() + millis * 1_000_000;
        while (true) {
            for (T candidate : in) {
                if (wanted.test(candidate)) {
                    return candidate;
                }
            }
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new AssertionError(missing + " within " + millis + " ms");
            }
            wait(left);
        }
    }
}
