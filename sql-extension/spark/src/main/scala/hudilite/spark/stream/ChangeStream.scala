package hudilite.spark.stream

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.read.streaming.{
  Offset => AnyOffset,
  ReadLimit,
  SupportsTriggerAvailableNow
}
import org.apache.spark.sql.execution.streaming.{Offset, Source}
import org.apache.spark.sql.hudilite.StreamFrame
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructField, StructType}

import hudilite.commit.{AsOf, Committed}
import hudilite.error.HudiliteException
import hudilite.format.FileId
import hudilite.spark.catalog.{HeldBack, HudiliteTable, SessionParts, TablePath}

/** Streaming source of the changes that commits make to a table. Its offsets are commits, in the
  * order of their commit numbers. Runs on the driver.
  * @param read   options of the stream
  * @param schema columns of its plan, as the table had them when `readStream` was called */
final class ChangeStream(session: SparkSession, read: StreamRead, override val schema: StructType)
    extends Source
    with SupportsTriggerAvailableNow {

  /** Last commit that this run reads, with Trigger.AvailableNow; "" if the table had no commit. */
  private var last: Option[String] = None

  override def prepareForTriggerAvailableNow(): Unit = {
    val table = ChangeStream.open(session, read)
    val states = Committed.earlier(table.timeline)
    last = Some(states.steps.lift(states.settledSteps - 1).fold("")(_.last))
  }

  override def getOffset: Option[Offset] = next(None, open(None))

  override def latestOffset(start: AnyOffset, limit: ReadLimit): AnyOffset = {
    val from = Option(start).map(CommitOffset.of)
    next(from, open(from)).orNull
  }

  override def getBatch(start: Option[Offset], end: Offset): DataFrame = {
    val (from, to) = (start.map(CommitOffset.of), CommitOffset.of(end))
    from.foreach(open): Unit
    val range = new CommitRange(session, open(Some(to)), read.withKinds)
    if (ChangeStream.facts(range.schema) != ChangeStream.facts(schema))
      throw stopped(
        "its columns have changed since readStream was called",
        "Call readStream again, and start the query with the result."
      )
    def rows() = StreamFrame.under(session)(changedRows(range, from, to.instant))
    StreamFrame.of(session, new LateRows(session, () => rows()), schema)
  }

  override def stop(): Unit = ()

  override def toString: String = TablePath.nameOf(read.path)

  private def changedRows(
      range: CommitRange,
      from: Option[CommitOffset],
      to: String
  ): RDD[InternalRow] = {
    val rows = (from.map(_.instant), read.start) match {
      case (Some(begin), _) if begin == to => None
      case (Some(begin), _) => range.between(begin, to)
      case (None, StreamStart.After(begin)) if begin == to => None
      case (None, StreamStart.After(begin)) => range.between(begin, to)
      case (None, StreamStart.Earliest) => Some(range.whole(to))
      case (None, StreamStart.Latest) => None
    }
    rows.fold[RDD[InternalRow]](session.sparkContext.emptyRDD)(_.queryExecution.toRdd)
  }

  /** Returns the end of the next batch; None for a stream from the earliest commit on, before the
    * table's first commit. */
  private def next(from: Option[CommitOffset], table: HudiliteTable): Option[CommitOffset] = {
    val states = Committed.earlier(table.timeline)
    val steps = states.steps
    def place(instant: String): Int = {
      val found = steps.indexWhere(_.contains(instant))
      if (found < 0 && instant.nonEmpty)
        // Fails with the reason why the instant is not a version.
        Committed.load(table.timeline, AsOf.Version(instant)): Unit
      found
    }
    states.holdingBack
      .foreach(HeldBack.warn(session, TablePath.nameOf(read.path), "A stream of", _))
    val end = last.fold(states.settledSteps - 1)(place)
    def within(begin: String): Int = {
      val first = place(begin)
      read.maxCommits.fold(end)(most => end.min(first + most)).max(first)
    }
    val at = (from, read.start) match {
      case (Some(begin), _) => Some(within(begin.instant))
      case (None, StreamStart.After(begin)) => Some(within(begin))
      case (None, StreamStart.Earliest) => Option.when(end >= 0)(end)
      case (None, StreamStart.Latest) => Some(end)
    }
    at.map(n => new CommitOffset(table.id, steps.lift(n).fold("")(_.last)))
  }

  private def open(offset: Option[CommitOffset]): HudiliteTable = {
    val table = ChangeStream.open(session, read)
    if (offset.exists(of => of.table != table.id && !ChangeStream.isRenamed(of, table)))
      throw stopped(
        "the checkpoint belongs to another table",
        "Start the query with a new checkpoint location."
      )
    table
  }

  private def open(offset: CommitOffset): HudiliteTable = open(Some(offset))

  private def stopped(reason: String, fix: String) =
    ChangeStream.stopped(read.path, reason, fix)
}

object ChangeStream {

  /** Returns the names, types and nullability of columns and of the fields in them, without comments and
    * defaults. */
  private[stream] def facts(columns: StructType): StructType =
    StructType(columns.map(f => StructField(f.name, bare(f.dataType), f.nullable)))

  private def bare(dataType: DataType): DataType = dataType match {
    case fields: StructType => facts(fields)
    case ArrayType(element, hasNull) => ArrayType(bare(element), hasNull)
    case MapType(key, value, hasNull) => MapType(bare(key), bare(value), hasNull)
    case other => other
  }

  /** Whether a position is in the table under an earlier name. The uuid of a table that only stock Hudi
    * has written is computed from its name, among others: its commits tell whether it is the same. */
  private def isRenamed(offset: CommitOffset, table: HudiliteTable): Boolean =
    FileId.isNamed(offset.table) && FileId.isNamed(table.id) &&
      Committed.steps(table.timeline).exists(_.contains(offset.instant))

  /** Builds the error of a stream that cannot continue.
    * @param path   location of the table
    * @param reason without a full stop
    * @param fix    what the user can do, as a sentence */
  private[stream] def stopped(path: String, reason: String, fix: String): HudiliteException =
    HudiliteException(
      "HUDILITE_STREAM_STOPPED",
      "table" -> TablePath.nameOf(path),
      "reason" -> reason,
      "fix" -> fix
    )

  /** Returns the columns of a stream's rows.
    * Errors: HUDILITE_SESSION_NOT_READY, those of TablePath. */
  def schema(session: SparkSession, read: StreamRead): StructType = {
    SessionParts.demandExtension(session)
    new CommitRange(session, open(session, read), read.withKinds).schema
  }

  private def open(session: SparkSession, read: StreamRead): HudiliteTable = {
    val table = TablePath.open(session, Seq(read.path))
    if (table.part.nonEmpty)
      throw StreamRead.unsupported("path", s"Stream ${table.basePath} and filter its rows.")
    table
  }
}
