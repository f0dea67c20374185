package hudilite.tests;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.api.java.UDF2;

/** Gives its text back, but stalls the first attempt of the first task after some rows. */
public final class StallFirstAttempt implements UDF2<String, Integer, String> {
  private static final ConcurrentHashMap<Long, AtomicInteger> CALLS = new ConcurrentHashMap<>();

  @Override
  public String call(String value, Integer after) throws InterruptedException {
    TaskContext task = TaskContext.get();
    if (task != null && task.attemptNumber() == 0 && task.partitionId() == 0) {
      AtomicInteger calls = CALLS.computeIfAbsent(task.taskAttemptId(), id -> new AtomicInteger());
      if (calls.incrementAndGet() == after) {
        Thread.sleep(120_000);
      }
    }
    return value;
  }
}
