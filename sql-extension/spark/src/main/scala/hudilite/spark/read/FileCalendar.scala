package hudilite.spark.read

import org.apache.parquet.hadoop.metadata.FileMetaData
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.internal.LegacyBehaviorPolicy.CORRECTED

/** Which calendar the dates and times of a file are of. */
object FileCalendar {

  /** Whether it is the proleptic Gregorian one, as Spark reads the footer; a file that says nothing is taken
    * to be of it. */
  def isOurs(file: FileMetaData): Boolean =
    DataSourceUtils.datetimeRebaseSpec(file.getKeyValueMetaData.get, CORRECTED.toString).mode ==
      CORRECTED
}
