package hudilite.tests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** File operations of this process, numbered and logged, one of which a plan breaks. */
public final class FaultRun {
  private static final long DELAY_MILLIS = 15;

  private final String root;
  private final FaultPlan plan;
  private final List<String> lines = new ArrayList<>();

  /**
   * Begins to count.
   *
   * @param root stands in the path of every call that counts; "" takes all
   * @param plan null to count alone
   */
  public FaultRun(String root, FaultPlan plan) {
    this.root = root;
    this.plan = plan;
  }

  /**
   * Makes a call, or breaks it.
   *
   * @param partly writes half of the bytes
   * @throws IOException as planned
   */
  public <A> A around(String operation, String path, Callable<A> call, Callable<?> partly)
      throws Exception {
    FaultPlan.Action struck = struck(operation, path);
    if (struck == null || struck == FaultPlan.Action.IMAGE) {
      return call.call();
    }
    switch (struck) {
      case HALT -> Runtime.getRuntime().halt(137);
      case DELAY -> {
        Thread.sleep(DELAY_MILLIS);
        return call.call();
      }
      case THROW_AFTER -> call.call();
      case PARTIAL -> partly.call();
      default -> {}
    }
    throw new IOException("fault plan: " + operation + " " + path);
  }

  /**
   * A line for each call that counted: its number, thread, operation, path and the action that
   * broke it, between tabs.
   */
  public synchronized String log() {
    return String.join("\n", lines);
  }

  private synchronized FaultPlan.Action struck(String operation, String path) throws IOException {
    if (!path.contains(root)) {
      return null;
    }
    FaultPlan.Action action = plan != null && plan.strikes(operation, path) ? plan.action() : null;
    int k = lines.size() + 1;
    String thread = Thread.currentThread().getName();
    lines.add(String.join("\t", "" + k, thread, operation, path, action == null ? "" : "" + action));
    if (action == FaultPlan.Action.IMAGE) {
      copy(Path.of(root), Path.of(root + "-images", "" + k));
    }
    return action;
  }

  /** What a process that dies now would leave: every byte that it has handed over so far. */
  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    if (Files.exists(from)) {
      try (Stream<Path> found = Files.walk(from)) {
        for (Path path : (Iterable<Path>) found::iterator) {
          Files.copy(
              path, to.resolve(from.relativize(path)), StandardCopyOption.COPY_ATTRIBUTES);
        }
      }
    }
  }
}
