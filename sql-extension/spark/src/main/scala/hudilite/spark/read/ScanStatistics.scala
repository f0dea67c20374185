package hudilite.spark.read

import java.util
import java.util.{Optional, OptionalLong}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.sql.catalyst.catalog.CatalogColumnStat
import org.apache.spark.sql.catalyst.plans.logical.{ColumnStat, Histogram => PlanHistogram}
import org.apache.spark.sql.catalyst.util.{CharVarcharUtils, QuotingUtils}
import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference}
import org.apache.spark.sql.connector.read.Statistics
import org.apache.spark.sql.connector.read.colstats.{ColumnStatistics, Histogram, HistogramBin}
import org.apache.spark.sql.types.{DataType, StructType}

import hudilite.view.TableStatistics

/** Estimates of a scan for Spark's optimizer (driver side).
  * @param size    estimated size of the rows, in bytes
  * @param rows    estimated number of rows
  * @param columns estimates by column */
private[read] final case class ScanStatistics(
    size: Long,
    rows: Option[Long],
    columns: Map[NamedReference, ColumnStatistics]
) extends Statistics {
  override def sizeInBytes(): OptionalLong = OptionalLong.of(size)
  override def numRows(): OptionalLong = ScanStatistics.long(rows)
  override def columnStats(): util.Map[NamedReference, ColumnStatistics] = columns.asJava
}

private[spark] object ScanStatistics {
  private val prefix = "column"

  /** Returns the estimates of a scan that returns few rows, whose number is known.
    * @param rows   number of rows, or a little more
    * @param schema columns that are read */
  private[read] def ofRows(rows: Int, schema: StructType): ScanStatistics =
    ScanStatistics(rows.max(1).toLong * schema.defaultSize, Some(rows.toLong), Map.empty)

  /** Returns the estimates of a scan.
    * @param size   estimated size of the rows, in bytes
    * @param bytes  size of the files by which the stored number of rows is scaled
    * @param schema columns that are read
    * @param stored statistics of the table */
  private[read] def of(
      size: Long,
      bytes: Long,
      schema: StructType,
      stored: Option[TableStatistics]
  ): ScanStatistics = {
    val known = for {
      statistics <- stored
      rows <- statistics.rowsOf(bytes)
    } yield {
      val columns = for {
        field <- CharVarcharUtils.replaceCharVarcharWithStringInSchema(schema)
        column <- statistics.columns.get(field.name).toSeq
        values <- valuesOf(column, field.dataType).toSeq
      } yield reference(field.name) -> new Estimate(values, column.rows, rows)
      ScanStatistics(size, Some(rows), columns.toMap)
    }
    known.getOrElse(ScanStatistics(size, None, Map.empty))
  }

  /** Returns the statistics of a column as they are stored.
    * @param rows number of rows of the table */
  def stored(values: ColumnStat, dataType: DataType, rows: Long): TableStatistics.Column = {
    val texts = values.toCatalogColumnStat(prefix, dataType).toMap(prefix)
    TableStatistics.Column(
      dataType.json,
      rows,
      texts.map { case (key, text) => key.stripPrefix(s"$prefix.") -> text }
    )
  }

  /** Returns the stored statistics of a column; None if it has another type now, or if they are
    * damaged. */
  private def valuesOf(column: TableStatistics.Column, dataType: DataType): Option[ColumnStat] = {
    val texts = column.values.map { case (key, text) => s"$prefix.$key" -> text }
    Option.when(column.dataType == dataType.json)(texts).flatMap { all =>
      Try(CatalogColumnStat.fromMap("", prefix, all).map(_.toPlanStat(prefix, dataType)))
        .toOption.flatten
    }
  }

  private def reference(name: String): NamedReference =
    Expressions.column(QuotingUtils.quoteIdentifier(name))

  private def long(value: Option[Long]): OptionalLong =
    value.fold(OptionalLong.empty())(OptionalLong.of)

  /** Statistics of a column, for another number of rows than those that were read.
    * @param analyzed number of rows that were read
    * @param rows     number of rows now */
  private final class Estimate(values: ColumnStat, analyzed: Long, rows: Long)
      extends ColumnStatistics {
    private val share = if (analyzed == 0) 0.0 else rows.toDouble / analyzed

    override def nullCount(): OptionalLong =
      long(values.nullCount.map(n => math.round(n.toDouble * share).min(rows)))

    override def distinctCount(): OptionalLong =
      long(values.distinctCount.map(_.min(BigInt(rows)).toLong))

    override def min(): Optional[Object] =
      Optional.ofNullable(values.min.orNull.asInstanceOf[Object])
    override def max(): Optional[Object] =
      Optional.ofNullable(values.max.orNull.asInstanceOf[Object])
    override def avgLen(): OptionalLong = long(values.avgLen)
    override def maxLen(): OptionalLong = long(values.maxLen)

    override def histogram(): Optional[Histogram] =
      Optional.ofNullable(values.histogram.map(new Bins(_): Histogram).orNull)
  }

  private final class Bins(of: PlanHistogram) extends Histogram {
    override def height(): Double = of.height

    override def bins(): Array[HistogramBin] = of.bins.map { bin =>
      new HistogramBin {
        override def lo(): Double = bin.lo
        override def hi(): Double = bin.hi
        override def ndv(): Long = bin.ndv
      }
    }
  }
}
