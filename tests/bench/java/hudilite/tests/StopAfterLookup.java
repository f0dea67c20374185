package hudilite.tests;

import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import scala.jdk.javaapi.CollectionConverters;

/** Cancels a statement as soon as it has looked its keys up: what it merges is not measured. */
public final class StopAfterLookup extends SparkListener {

  @Override
  public void onStageCompleted(SparkListenerStageCompleted stage) {
    boolean looked =
        CollectionConverters.asJava(stage.stageInfo().rddInfos()).stream()
            .anyMatch(rdd -> rdd.name().equals("LookupRDD"));
    if (looked) SparkContext.getOrCreate().cancelAllJobs();
  }
}
