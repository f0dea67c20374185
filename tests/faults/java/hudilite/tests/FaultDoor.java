package hudilite.tests;

import hudilite.io.Storage;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Arms fault plans in a running JVM, which must have been started with
 * `-Dhudilite.storage.layer=hudilite.tests.FaultDoor`; `-Dhudilite.fault=` holds a plan that is
 * armed from the start.
 */
public final class FaultDoor implements Storage.Layer {
  /** JVM option that holds a plan. */
  public static final String PROPERTY = "hudilite.fault";

  private static final AtomicReference<FaultRun> CURRENT = new AtomicReference<>(asked());

  @Override
  public Storage over(Storage plain) {
    return FaultStorage.over(plain, CURRENT::get);
  }

  /**
   * Counts file operations from now on, and breaks one.
   *
   * @param root stands in the path of every call that counts
   * @param plan as FaultPlan.parse takes it; "" to count alone
   */
  public static void arm(String root, String plan) {
    CURRENT.set(new FaultRun(root, plan.isEmpty() ? null : FaultPlan.parse(plan)));
  }

  /**
   * Breaks nothing any more.
   *
   * @return the log of what counted
   */
  public static String disarm() {
    FaultRun run = CURRENT.getAndSet(null);
    return run == null ? "" : run.log();
  }

  /** A call of the tests' file system, made or broken; see {@link FaultRun#around}. */
  static <A> A around(String operation, String path, Callable<A> call, Callable<?> partly)
      throws Exception {
    FaultRun run = CURRENT.get();
    return run == null ? call.call() : run.around(operation, path, call, partly);
  }

  private static FaultRun asked() {
    String plan = System.getProperty(PROPERTY);
    return plan == null ? null : new FaultRun("", FaultPlan.parse(plan));
  }
}
