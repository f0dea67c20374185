package hudilite.spark.read

import scala.collection.mutable
import scala.util.Using

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.types.{StructField, StructType}

import hudilite.format.TableConfig
import hudilite.view.{FileSlice, OpenedFile, SourceFile}

/** Input partition of the file slices that one task aggregates. */
private[read] final case class AggregatedSlices(slices: Seq[FileSlice]) extends InputPartition

/** Readers of aggregates of file slices (task side). Each slice is aggregated from its footer, or
  * from its rows if the footer does not contain enough. For a skeleton, the footer and rows are
  * those of its source file, and partition columns come from the partition path. A slice with log
  * files, which only a later snapshot than that of the plan has, is aggregated from its rows.
  * @param rows            reads the columns of the aggregation
  * @param isCaseSensitive whether column names are case-sensitive
  * Errors: those of [[SliceReaderFactory]]. */
private[read] final class AggregatedSlicesFactory(
    aggregation: FooterAggregation,
    config: TableConfig,
    rows: SliceReaderFactory,
    isCaseSensitive: Boolean
) extends PartitionReaderFactory {
  import AggregatedSlicesFactory._
  import FooterFunction._

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    partition match {
      case AggregatedSlices(Seq()) =>
        new Each(Iterator(InternalRow.fromSeq(nothing.map(_.value))))
      case AggregatedSlices(slices) => new Each(slices.iterator.flatMap(of))
      case other => throw new IllegalStateException(s"INTERNAL: $other is no aggregated partition")
    }

  private def of(slice: FileSlice): Seq[InternalRow] =
    if (!slice.isOnlyBase) counted(slice)
    else {
      SourceFile.check(slice, rows.conf)
      val file = OpenedFile(slice.onlyBase.data, slice.instant, rows.conf) { opened =>
        new FooterValues(opened.reader.getFooter, isCaseSensitive)
      }
      fromFooter(slice, file).getOrElse(counted(slice))
    }

  /** Aggregates from the footer alone; None if it does not contain enough. */
  private def fromFooter(slice: FileSlice, file: FooterValues): Option[Seq[InternalRow]] = {
    val facts = aggregation.columns.fields.toSeq.map { field =>
      ofPath(slice, field, file.rows).orElse(file.of(field)).map(field -> _)
    }
    if (facts.exists(_.isEmpty)) None
    else {
      val of = facts.flatten.toMap
      val groups = aggregation.groups.map(of(_).constant(file.rows))
      val values = aggregation.functions.map {
        case Rows => Some(file.rows)
        case Values(field) => Some(of(field).values)
        case Least(field) => of(field).bounds.map(_.headOption.getOrElse(FooterValues.noValue))
        case Greatest(field) => of(field).bounds.map(_.lastOption.getOrElse(FooterValues.noValue))
      }
      if (aggregation.groups.nonEmpty && file.rows == 0) Some(Nil)
      else
        Option.when((groups ++ values).forall(_.nonEmpty)) {
          Seq(InternalRow.fromSeq(groups.flatten ++ values.flatten))
        }
    }
  }

  /** Returns the facts of a partition column of a file that does not store it, as adopted files and
    * those of some tables. */
  private def ofPath(slice: FileSlice, field: StructField, rows: Long): Option[ColumnFacts] =
    Option.when(isUnstored(slice) && config.partitionFields.contains(field.name)) {
      val value = PartitionValues.of(slice, config, StructType(Seq(field)))
      if (value.isNullAt(0) || rows == 0) ColumnFacts(0, Some(Nil))
      else {
        val one = value.get(0, field.dataType)
        ColumnFacts(rows, Some(Seq(one, one)))
      }
    }

  private def isUnstored(slice: FileSlice): Boolean =
    slice.source.nonEmpty || config.dropsPartitionColumns

  /** Aggregates from the rows. */
  private def counted(slice: FileSlice): Seq[InternalRow] = {
    val columns = aggregation.columns
    val ofGroups = aggregation.groups.map(columns.indexOf(_))
    val ofFunctions = aggregation.functions.map(_.field.map(columns.indexOf(_)))
    val groups = mutable.LinkedHashMap.empty[Seq[Any], Seq[Tally]]
    if (aggregation.groups.isEmpty) groups(Nil) = nothing
    Using.resource(rows.openRows(slice)) { reader =>
      while (reader.next()) {
        val read = reader.get()
        def value(at: Int) =
          if (read.isNullAt(at)) FooterValues.noValue
          else InternalRow.copyValue(read.get(at, columns(at).dataType))
        groups.getOrElseUpdate(ofGroups.map(value), nothing).zip(ofFunctions).foreach {
          case (tally, at) => tally.add(at.map(value))
        }
      }
    }
    groups.toSeq.map { case (group, tallies) => InternalRow.fromSeq(group ++ tallies.map(_.value)) }
  }

  /** Returns the tallies before the first row. */
  private def nothing: Seq[Tally] = aggregation.functions.map(new Tally(_))
}

private[read] object AggregatedSlicesFactory {

  /** Running result of one aggregate function. */
  private final class Tally(function: FooterFunction) {
    private val ordering = function.field.map(f => TypeUtils.getInterpretedOrdering(f.dataType))
    private var rows = 0L
    private var best = Option.empty[Any]

    /** Adds a row.
      * @param found value of the function's column; None if the function has no column */
    def add(found: Option[Any]): Unit = if (!found.contains(FooterValues.noValue)) {
      rows += 1
      function match {
        case FooterFunction.Least(_) => choose(found)(_ < 0)
        case FooterFunction.Greatest(_) => choose(found)(_ > 0)
        case FooterFunction.Rows | FooterFunction.Values(_) =>
      }
    }

    def value: Any = function match {
      case FooterFunction.Rows | FooterFunction.Values(_) => rows
      case _ => best.getOrElse(FooterValues.noValue)
    }

    private def choose(found: Option[Any])(isBetter: Int => Boolean): Unit =
      for (value <- found; order <- ordering)
        if (best.forall(was => isBetter(order.compare(value, was)))) best = Some(value)
  }

  private final class Each(rows: Iterator[InternalRow]) extends PartitionReader[InternalRow] {
    private var row = Option.empty[InternalRow]
    override def next(): Boolean = {
      row = rows.nextOption()
      row.nonEmpty
    }
    override def get(): InternalRow = row.getOrElse(throw new NoSuchElementException)
    override def close(): Unit = ()
  }
}
