package hudilite.tests;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which file operation fails, and how. */
public final class FaultPlan {
  /** What becomes of the call. */
  public enum Action {
    /** The JVM halts before it. */
    HALT("halt"),
    /** It fails before its effect. */
    THROW("throw"),
    /** It fails before its effect, and so do all that follow, as if the process had died there. */
    STOP("stop"),
    /** It fails after its effect: the answer is lost. */
    THROW_AFTER("throwAfter"),
    /** It fails with half of its bytes written; one that writes nothing fails before its effect. */
    PARTIAL("partial"),
    /** It is made, as are all that follow, and each is preceded by a copy of the table. */
    IMAGE("image"),
    /** It takes its time, and so do all that follow. */
    DELAY("delay");

    private final String text;

    Action(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  private static final Pattern GRAMMAR = Pattern.compile("([^:]+):(.*):([0-9]+):([a-zA-Z]+)");

  private final String operation;
  private final Pattern path;
  private final long nth;
  private final Action action;
  private final AtomicLong seen = new AtomicLong();

  private FaultPlan(String operation, Pattern path, long nth, Action action) {
    this.operation = operation;
    this.path = path;
    this.nth = nth;
    this.action = action;
  }

  /**
   * Reads a plan.
   *
   * @param text `operation:path regex:nth:action`: a method of Storage, a call of FaultFileSystem
   *     or `*`; matched anywhere in the path; from 1, over the calls that match
   * @throws IllegalArgumentException when it has another form
   */
  public static FaultPlan parse(String text) {
    Matcher found = GRAMMAR.matcher(text);
    Action action =
        !found.matches()
            ? null
            : Arrays.stream(Action.values())
                .filter(known -> known.text.equals(found.group(4)))
                .findFirst()
                .orElse(null);
    if (action == null) {
      throw new IllegalArgumentException(text + ": want op:path regex:nth:action");
    }
    Pattern path = Pattern.compile(found.group(2));
    return new FaultPlan(found.group(1), path, Long.parseLong(found.group(3)), action);
  }

  public Action action() {
    return action;
  }

  /** Counts a call; true for the one that the plan is about, and what follows where all do. */
  public boolean strikes(String operation, String path) {
    boolean lasts = action == Action.STOP || action == Action.IMAGE || action == Action.DELAY;
    return lasts && hasStruck()
        || (this.operation.equals("*") || this.operation.equals(operation))
            && this.path.matcher(path).find()
            && seen.incrementAndGet() == nth;
  }

  /** Whether the call that the plan is about has been made. */
  public boolean hasStruck() {
    return seen.get() >= nth;
  }
}
