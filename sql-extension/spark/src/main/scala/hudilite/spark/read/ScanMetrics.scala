package hudilite.spark.read

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric, CustomTaskMetric}

/** Metrics of a scan that the driver reports, for the plan in Spark's user interface. */
private[read] object ScanMetrics {
  val all: Seq[CustomMetric] = Seq(new FilesRead, new FilesSkipped)

  /** Returns the values of all, in the same order. */
  def of(values: Int*): Seq[CustomTaskMetric] =
    all.zip(values).map { case (metric, value) => Value(metric.name, value.toLong) }

  private final case class Value(name: String, value: Long) extends CustomTaskMetric
}

/** Number of file slices that are read. Spark creates it by its name. */
final class FilesRead extends CustomSumMetric {
  override def name: String = "numFiles"
  override def description: String = "files read"
}

/** Number of files that are not read because of their statistics. Spark creates it by its name. */
final class FilesSkipped extends CustomSumMetric {
  override def name: String = "numFilesSkipped"
  override def description: String = "files skipped by statistics"
}
