package hudilite.tests;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.QueryPlanningTracker;

/** Time, random ids and task numbers that depend only on the statement that runs. */
public final class Pinned {
  private static final long START = 1_767_225_600_000L; // 2026-01-01T00:00:00Z
  private static int statement = 0;
  private static int drawn = 0;

  private Pinned() {}

  /** Begins the next statement: the clock moves on by a second, and new ids are drawn. */
  public static synchronized void next() {
    statement += 1;
    drawn = 0;
  }

  public static synchronized long currentTimeMillis() {
    return START + 1000L * statement;
  }

  public static long nanoTime() {
    return 1_000_000L * currentTimeMillis();
  }

  public static synchronized UUID randomUUID() {
    drawn += 1;
    String text = statement + " " + drawn;
    return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Enums have other hashes in each process, so a hash set of them has another order. */
  public static Set<?> sorted(Set<?> enums) {
    return new TreeSet<>(enums);
  }

  /** Spark counts stages and tasks over all jobs of a process; broadcasts take part in any order. */
  public static int stageId(TaskContext task) {
    return 0;
  }

  public static long taskAttemptId(TaskContext task) {
    return task.partitionId();
  }

  public static String applicationId(SparkContext context) {
    return "application";
  }

  public static long durationMs(QueryPlanningTracker.PhaseSummary phase) {
    return 0;
  }
}
