package hudilite.spark.diff

import scala.collection.mutable.ArrayBuffer
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BasePredicate,
  Expression,
  GenericInternalRow,
  JoinedRow,
  Literal,
  Predicate,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.SerializableConfiguration

import hudilite.spark.merge.{BaseFileRows, OldBaseFile}
import hudilite.spark.read.SliceReaderFactory
import hudilite.view.FileSlice

/** Reader of one of the two states (task side).
  * @param schema    columns that `factory` reads: `_hoodie_record_key`, then those of the table
  * @param condition on these columns, by their places; None: all rows */
private[diff] final case class SideReader(
    factory: SliceReaderFactory,
    schema: StructType,
    condition: Option[Expression]
)

/** Differences of the rows of slices, which are merged in the order of their keys (task side). Nothing is
  * shuffled; rows are sorted only where a file is not.
  * @param differs whether a row of both states differs, by the columns of `before`, then of `after` */
private[diff] final case class PairMerge(
    before: SideReader,
    after: SideReader,
    differs: Expression,
    conf: Broadcast[SerializableConfiguration]
) {

  /** Counts the differences of each pair. */
  def counts(pairs: Iterator[SlicePair]): Iterator[DiffCounts] = {
    val merged = new PairMerge.OfTask(this)
    pairs.map { pair =>
      var (inserted, updated, deleted) = (0L, 0L, 0L)
      merged.each(pair) { (kind, _) =>
        kind match {
          case DiffRow.inserted => inserted += 1
          case DiffRow.updated => updated += 1
          case _ => deleted += 1
        }
        true
      }
      DiffCounts(pair.partition, inserted, updated, deleted)
    }
  }

  /** Returns the differences as [[DiffRow]]s.
    * @param values columns to show before and after, by the places of [[differs]]
    * @param most   number of differences of one pair after which the others are not needed */
  def rows(values: Seq[Expression], most: Int)(pairs: Iterator[SlicePair]): Iterator[UnsafeRow] = {
    val merged = new PairMerge.OfTask(this)
    val of = Seq(DiffRow.inserted, DiffRow.updated, DiffRow.deleted)
      .map(kind => kind -> UnsafeProjection.create(Literal(kind) +: values)).toMap
    pairs.flatMap { pair =>
      val found = ArrayBuffer.empty[UnsafeRow]
      merged.each(pair) { (kind, row) =>
        found += of(kind)(row).copy()
        found.size < most
      }
      found
    }
  }
}

private[diff] object PairMerge {

  /** Merge in one task, for which conditions are compiled once. */
  private final class OfTask(merge: PairMerge) {
    import merge.{after, before}
    private val conf = merge.conf.value.value
    private val isDifferent = Predicate.create(merge.differs)
    private val (ofBefore, ofAfter) = (predicate(before), predicate(after))
    private val (noneBefore, noneAfter) = (nulls(before), nulls(after))
    private val joined = new JoinedRow

    /** Calls `see` with the kind and the two rows of each difference, until it returns false. */
    def each(pair: SlicePair)(see: (String, InternalRow) => Boolean): Unit = {
      val olds = opened(before, ofBefore, pair.before)
      val news = opened(after, ofAfter, pair.after)
      try run(olds, news)(see)
      finally {
        olds.close()
        news.close()
      }
    }

    private def run(olds: KeptRows, news: KeptRows)(see: (String, InternalRow) => Boolean): Unit = {
      var goesOn = true
      while (goesOn && (olds.hasRow || news.hasRow)) {
        val order =
          if (!olds.hasRow) 1 else if (!news.hasRow) -1 else olds.key.compareTo(news.key)
        if (order < 0) goesOn = see(DiffRow.deleted, joined(olds.row, noneAfter))
        else if (order > 0) goesOn = see(DiffRow.inserted, joined(noneBefore, news.row))
        else if (isDifferent.eval(joined(olds.row, news.row))) goesOn = see(DiffRow.updated, joined)
        if (order <= 0) olds.advance()
        if (order >= 0) news.advance()
      }
    }

    private def opened(
        side: SideReader,
        condition: Option[BasePredicate],
        slice: Option[FileSlice]
    ): KeptRows = new KeptRows(
      slice.fold(BaseFileRows.none)(of =>
        BaseFileRows.open(side.factory, of, side.schema, isSorted(of, conf),
          UTF8String.EMPTY_UTF8)
      ),
      condition
    )

    private def predicate(side: SideReader): Option[BasePredicate] =
      side.condition.map(Predicate.create(_))

    private def nulls(side: SideReader) = new GenericInternalRow(side.schema.size)
  }

  /** Rows that pass a condition. */
  private final class KeptRows(rows: BaseFileRows, condition: Option[BasePredicate]) {
    skip()

    def hasRow: Boolean = rows.hasRow
    def key: UTF8String = rows.key
    def row: InternalRow = rows.row
    def close(): Unit = rows.close()
    def advance(): Unit = {
      rows.advance()
      skip()
    }

    private def skip(): Unit =
      condition.foreach(of => while (rows.hasRow && !of.eval(rows.row)) rows.advance())
  }

  /** Whether the rows of the base are in the order of their keys. */
  private def isSorted(slice: FileSlice, conf: Configuration): Boolean =
    slice.withoutLogs.forall(base => Using.resource(OldBaseFile.open(base, conf))(_.footer.sorted))
}
