package hudilite.tests;

import hudilite.index.BloomFilter;
import hudilite.index.BloomFilter$;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.unsafe.types.UTF8String;

/** What a bootstrap cannot do without, and nothing else, as a Spark job. */
public final class BootstrapFloor {
  private static final long FIRST = 1L << 60; // of 16 digits

  private BootstrapFloor() {}

  /**
   * Reads the key column of a folder's files in vectors as Spark's scan does, puts the keys into
   * filters of hudilite's, one for so many rows, and writes a file of so many bytes for each.
   *
   * @param rows of each file
   * @param bytes to write for each file
   * @param forces whether they are forced to the disk
   * @return keys that were read
   */
  public static long run(
      SparkSession spark,
      String source,
      String key,
      long rows,
      int bytes,
      String folder,
      boolean forces) {
    return scan(spark.read().parquet(source).select(key))
        .toJavaRDD()
        .mapPartitions(batches -> List.of(all(batches, rows, bytes, folder, forces)).iterator())
        .reduce(Long::sum);
  }

  /** Puts the same keys into a filter for each file, without reading or writing one. */
  public static long hashed(SparkSession spark, int files, int tasks, int rows) {
    List<Integer> numbers = java.util.stream.IntStream.range(0, files).boxed().toList();
    return JavaSparkContext.fromSparkContext(spark.sparkContext())
        .parallelize(numbers, tasks)
        .mapPartitions(some -> hashed(some, rows))
        .reduce(Long::sum);
  }

  private static RDD<ColumnarBatch> scan(Dataset<Row> keys) {
    return keys.queryExecution().executedPlan().collectLeaves().head().executeColumnar();
  }

  private static long all(
      Iterator<ColumnarBatch> batches, long rows, int bytes, String folder, boolean forces)
      throws IOException {
    BloomFilter filter = filter(rows);
    long read = 0;
    while (batches.hasNext()) {
      ColumnarBatch batch = batches.next();
      for (int i = 0; i < batch.numRows(); i++) filter.add(batch.column(0).getUTF8String(i));
      read += batch.numRows();
      if (filter.keyCount() == rows) {
        write(bytes, folder, forces);
        filter = filter(rows);
      }
    }
    return read;
  }

  private static void write(int bytes, String folder, boolean forces) throws IOException {
    Path made = Files.createDirectories(Paths.get(folder)).resolve(UUID.randomUUID().toString());
    try (FileOutputStream out = new FileOutputStream(made.toFile())) {
      out.write(new byte[bytes]);
      if (forces) out.getFD().sync();
    }
  }

  private static Iterator<Long> hashed(Iterator<Integer> files, int rows) {
    UTF8String[] keys = new UTF8String[rows];
    for (int i = 0; i < rows; i++) keys[i] = UTF8String.fromString(Long.toHexString(FIRST + i));
    long added = 0;
    while (files.hasNext()) {
      files.next();
      BloomFilter filter = filter(rows);
      for (UTF8String key : keys) filter.add(key);
      added += filter.keyCount();
    }
    return List.of(added).iterator();
  }

  private static BloomFilter filter(long rows) {
    return BloomFilter$.MODULE$.create(rows, 1e-9, "DYNAMIC_V0");
  }
}
