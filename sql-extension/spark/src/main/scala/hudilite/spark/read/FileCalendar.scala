package hudilite.spark.read

import org.apache.parquet.hadoop.metadata.FileMetaData
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.internal.LegacyBehaviorPolicy.CORRECTED

/** Calendar of the dates and timestamps in a file. */
object FileCalendar {

  /** Whether the calendar is the proleptic Gregorian one, by Spark's footer keys. True for a footer
    * without these keys. */
  def isOurs(file: FileMetaData): Boolean =
    DataSourceUtils.datetimeRebaseSpec(file.getKeyValueMetaData.get, CORRECTED.toString).mode ==
      CORRECTED
}
