package hudilite.spark.read

import java.sql.Timestamp
import java.time.Instant

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.LogicalTypeAnnotation.{TimeUnit, TimestampLogicalTypeAnnotation}
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.sources.Filter

/** Filters on timestamps that a file stores in milliseconds. Spark drops the microseconds of a value before
  * Parquet compares it, so that Parquet would skip rows that pass `t < value` or `t <> value`. */
private[read] object MillisFilters {

  /** Whether a filter contains a timestamp that is no whole number of milliseconds. */
  def isRounded(filter: Filter): Boolean = FloatingFilters.compared(filter).exists {
    case time: Timestamp => time.getNanos % 1000000 != 0
    case time: Instant => time.getNano % 1000000 != 0
    case _ => false
  }

  /** Whether a file has a column of timestamps in milliseconds. */
  def areIn(file: MessageType): Boolean = file.getColumns.asScala.exists { column =>
    column.getPrimitiveType.getLogicalTypeAnnotation match {
      case time: TimestampLogicalTypeAnnotation => time.getUnit == TimeUnit.MILLIS
      case _ => false
    }
  }
}
