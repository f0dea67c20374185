package hudilite.spark.read

import scala.jdk.CollectionConverters._

import org.apache.parquet.filter2.compat.RowGroupFilter.FilterLevel.{DICTIONARY, STATISTICS}
import org.apache.parquet.filter2.compat.{FilterCompat, RowGroupFilter}
import org.apache.parquet.filter2.predicate.{FilterApi, FilterPredicate}
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.FileMetaData
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.parquet.ParquetFilters
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

/** Filters that skip row groups of one file by statistics and dictionaries, as Spark's own reader
  * does. Built on the driver, applied in tasks.
  * @param filters filters on columns of that file, all true for a wanted row
  * @param columns columns of the table */
private[read] final case class RowGroupFilters(
    filters: Seq[Filter],
    columns: StructType,
    dates: Boolean,
    times: Boolean,
    decimals: Boolean,
    texts: Boolean,
    mostValues: Int,
    caseSensitive: Boolean
) {

  /** Returns the offsets of the first bytes of the row groups that remain. */
  def kept(reader: ParquetFileReader): Set[Long] = {
    val blocks = reader.getFooter.getBlocks
    val left = predicate(reader.getFileMetaData, "CORRECTED").fold(blocks) { wanted =>
      val levels = Seq(STATISTICS, DICTIONARY).asJava
      RowGroupFilter.filterRowGroups(levels, FilterCompat.get(wanted), blocks, reader)
    }
    left.asScala.map(_.getStartingPos).toSet
  }

  /** Returns the filters as one condition of Parquet's, without those that Parquet cannot evaluate
    * and those on columns that have another type in the file; None if none is left.
    * @param file     metadata of the file
    * @param calendar calendar of its dates and timestamps if it does not record it, as in Spark's
    *                 option datetimeRebaseMode */
  def predicate(file: FileMetaData, calendar: String): Option[FilterPredicate] = {
    lazy val parquet = new ParquetFilters(
      file.getSchema,
      dates,
      times,
      decimals,
      texts,
      mostValues,
      caseSensitive,
      DataSourceUtils.datetimeRebaseSpec(file.getKeyValueMetaData.get, calendar)
    )
    ofFile(file).flatMap(parquet.createFilter(_)).reduceOption(FilterApi.and)
  }

  /** Returns the filters that Parquet can evaluate on a file as Spark does. */
  private def ofFile(file: FileMetaData): Seq[Filter] = {
    lazy val changed = ChangedTypes.of(file.getSchema, columns, caseSensitive)
    lazy val knowsNaN = FileWriter.isTrusted(file)
    lazy val hasMillis = MillisFilters.areIn(file.getSchema)
    filters.filterNot(filter => changed.exists(of => filter.references.exists(of.contain)))
      .filterNot(filter => MillisFilters.isRounded(filter) && hasMillis)
      .flatMap(FloatingFilters.of(_, knowsNaN))
  }
}

private[read] object RowGroupFilters {

  /** Applies the session's settings for filter push-down to Parquet. */
  def of(conf: SQLConf, filters: Seq[Filter], columns: StructType): RowGroupFilters =
    RowGroupFilters(
      if (conf.parquetFilterPushDown) filters else Nil,
      columns,
      conf.parquetFilterPushDownDate,
      conf.parquetFilterPushDownTimestamp,
      conf.parquetFilterPushDownDecimal,
      conf.parquetFilterPushDownStringPredicate,
      conf.parquetFilterPushDownInFilterThreshold,
      conf.caseSensitiveAnalysis
    )
}
