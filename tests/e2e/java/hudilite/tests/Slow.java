package hudilite.tests;

import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.api.java.UDF2;

/** Gives its text back after some milliseconds, and does not let itself be interrupted. */
public final class Slow implements UDF2<String, Integer, String> {
  @Override
  public String call(String value, Integer millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    return value;
  }
}
