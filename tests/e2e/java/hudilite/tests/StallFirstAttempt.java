package hudilite.tests;

import org.apache.spark.TaskContext;
import org.apache.spark.sql.api.java.UDF2;

/** Gives its text back, but the first attempt of the task that meets row 2500 stalls there. */
public final class StallFirstAttempt implements UDF2<String, Integer, String> {
  @Override
  public String call(String value, Integer row) throws InterruptedException {
    TaskContext task = TaskContext.get();
    if (task != null && task.attemptNumber() == 0 && row == 2500) {
      Thread.sleep(120_000);
    }
    return value;
  }
}
