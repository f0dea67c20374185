package hudilite.tests;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Stops one thread at a place in its calls of Storage until it is let go, or ends or stops the JVM
 * there. A statement's calls on the driver are made by the thread that runs it; tasks are never stopped.
 */
public final class FaultGate {
  private static final ThreadLocal<FaultGate> CURRENT = new ThreadLocal<>();
  private static final long MOST_SECONDS = 20;

  /** What happens before the last step. */
  private enum Effect {
    WAIT,
    HALT,
    FREEZE
  }

  private record Step(String operation, Pattern path) {
    boolean fits(String operation, String path) {
      boolean named = this.operation.equals("*") || this.operation.equals(operation);
      return named && this.path.matcher(path).find();
    }
  }

  private final List<Step> steps;
  private final Effect effect;
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private int passed = 0;

  private FaultGate(String steps, Effect effect) {
    this.steps =
        Arrays.stream(steps.split(" "))
            .map(step -> step.split(":", 2))
            .map(step -> new Step(step[0], Pattern.compile(step[1])))
            .toList();
    this.effect = effect;
  }

  /**
   * Stops the calling thread before the last step, once.
   *
   * @param steps `operation:path regex`, between blanks, `*` for any operation; each but the last
   *     is a call that must have been made before, and not answered false; a write that gives up,
   *     which deletes its inflight file, has made none
   */
  public static FaultGate stop(String steps) {
    CURRENT.set(new FaultGate(steps, Effect.WAIT));
    return CURRENT.get();
  }

  /** The same, where the JVM ends at the last step. */
  public static void halt(String steps) {
    CURRENT.set(new FaultGate(steps, Effect.HALT));
  }

  /** The same, where the whole process stops (SIGSTOP) at the last step, until SIGCONT. */
  public static void freeze(String steps) {
    CURRENT.set(new FaultGate(steps, Effect.FREEZE));
  }

  /** Whether the thread stands at the gate, or has been there. */
  public boolean isReached() {
    return reached.getCount() == 0;
  }

  /** Lets the thread go on; it is not stopped again. */
  public void release() {
    released.countDown();
  }

  /** A call of the current thread. */
  static <A> A around(String operation, String path, Callable<A> call) throws Exception {
    FaultGate gate = CURRENT.get();
    if (gate == null) {
      return call.call();
    }
    gate.before(operation, path);
    A answer = call.call();
    gate.after(operation, path, answer);
    return answer;
  }

  private void before(String operation, String path) throws Exception {
    if (passed == steps.size() - 1 && steps.get(passed).fits(operation, path)) {
      passed++;
      switch (effect) {
        case HALT -> Runtime.getRuntime().halt(137);
        case FREEZE -> new ProcessBuilder("kill", "-STOP", ownNumber()).start().waitFor();
        case WAIT -> await(operation + " " + path);
      }
    }
  }

  private void await(String place) throws InterruptedException {
    reached.countDown();
    if (!released.await(MOST_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("nobody opened the gate at " + place);
    }
  }

  private static String ownNumber() {
    return String.valueOf(ProcessHandle.current().pid());
  }

  private void after(String operation, String path, Object answer) {
    if (passed < steps.size() && operation.equals("delete") && path.endsWith(".inflight")) {
      passed = 0;
    } else if (passed < steps.size() - 1
        && steps.get(passed).fits(operation, path)
        && !Boolean.FALSE.equals(answer)) {
      passed++;
    }
  }
}
