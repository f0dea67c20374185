package hudilite.tests;

import org.apache.hudi.client.SparkRDDReadClient;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.model.HoodieKey;
import org.apache.hudi.common.model.HoodieRecordPayload;
import org.apache.hudi.config.HoodieIndexConfig;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.index.HoodieIndex;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/** Looks keys up by stock Hudi's BLOOM index. */
public final class StockTagging {
  private StockTagging() {}

  /** How many keys of a Parquet folder are in a table without partitions. */
  public static long found(SparkSession spark, String table, String source) {
    JavaRDD<HoodieKey> keys =
        spark.read().parquet(source).toJavaRDD().map(row -> new HoodieKey(row.getString(0), ""));
    HoodieWriteConfig config =
        HoodieWriteConfig.newBuilder()
            .withPath(table)
            .withIndexConfig(
                HoodieIndexConfig.newBuilder().withIndexType(HoodieIndex.IndexType.BLOOM).build())
            .build();
    HoodieSparkEngineContext context =
        new HoodieSparkEngineContext(JavaSparkContext.fromSparkContext(spark.sparkContext()));
    return new SparkRDDReadClient<HoodieRecordPayload>(context, config)
        .checkExists(keys)
        .filter(key -> key._2().isPresent())
        .count();
  }
}
