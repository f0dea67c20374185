package hudilite.tests;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.api.java.UDF2;

/** Gives its text back, but fails the first attempt of every task after some rows. */
public final class FailFirstAttempt implements UDF2<String, Integer, String> {
  private static final ConcurrentHashMap<Long, AtomicInteger> CALLS = new ConcurrentHashMap<>();

  @Override
  public String call(String value, Integer after) {
    TaskContext task = TaskContext.get();
    if (task != null && task.attemptNumber() == 0) {
      AtomicInteger calls = CALLS.computeIfAbsent(task.taskAttemptId(), id -> new AtomicInteger());
      if (calls.incrementAndGet() > after) {
        throw new IllegalStateException("the first attempt fails after " + after + " rows");
      }
    }
    return value;
  }
}
