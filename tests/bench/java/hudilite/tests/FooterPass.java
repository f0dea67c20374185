package hudilite.tests;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.util.HadoopInputFile;

/** Opens Parquet files for their footers and does nothing else. */
public final class FooterPass {
  private FooterPass() {}

  /** Seconds that it takes to open all the files, by a number of threads. */
  public static double seconds(List<String> paths, int threads) throws Exception {
    List<String> files = new ArrayList<>(paths);
    Configuration conf = new Configuration();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    long began = System.nanoTime();
    try {
      List<Future<?>> all = new ArrayList<>();
      for (String file : files) all.add(pool.submit(() -> open(file, conf)));
      for (Future<?> one : all) one.get();
    } finally {
      pool.shutdown();
    }
    return (System.nanoTime() - began) / 1e9;
  }

  private static Void open(String file, Configuration conf) throws Exception {
    try (ParquetFileReader reader =
        ParquetFileReader.open(HadoopInputFile.fromPath(new Path(file), conf))) {
      if (reader.getFooter().getBlocks().isEmpty()) throw new IllegalStateException(file);
    }
    return null;
  }
}
