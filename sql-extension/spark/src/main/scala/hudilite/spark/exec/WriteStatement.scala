package hudilite.spark.exec

import org.apache.hadoop.conf.Configuration
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.util.SerializableConfiguration

import hudilite.format.{BucketCounts, MergeOrder}
import hudilite.lock.RescaleTurns
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.locate.{NumberedFileGroups, SliceKeys, Tag, TargetPruning}
import hudilite.spark.merge.TableForTasks
import hudilite.spark.plan.{MergeSpec, RequiredOrdering, WriteSettings}
import hudilite.spark.read.HudiliteScan
import hudilite.timeline.Instant
import hudilite.view.{FileSlice, TableSnapshot}

/** Write statement as it is planned: its table, its clauses and the snapshot that it is based on
  * (driver side).
  *
  * Immutable, so that the operators of a plan share it and the plan may be explained and executed
  * any number of times. Nothing is read before a value is asked for.
  *
  * @param planned what the statement does with each row, as the analysis says
  * @param target attributes of the table's columns as the statement's clauses name them
  * @param counts numbers of buckets for which the statement is planned; None if the table has none
  * @param scans  reads of the same table in the source: the write is based on the oldest of their
  *               snapshots
  */
final class WriteStatement(
    val session: SparkSession,
    val table: HudiliteTable,
    planned: MergeSpec,
    val target: Seq[Attribute],
    val counts: Option[BucketCounts],
    val scans: Seq[HudiliteScan]
) {
  private val config = table.config

  /** What the statement does with each row. */
  val spec: MergeSpec =
    if (!config.isMergeOnRead || MergeOrder.of(config) != MergeOrder.EventTime) planned
    else RequiredOrdering.in(planned, target, config.orderingFields, table.name)

  /** Oldest snapshot of the source's scans, or the latest snapshot if there are none. A replacement
    * uses that of the analysis, too, because the analysis chose what is replaced. Covers the whole
    * table, even if the source reads a part of it by path. */
  lazy val snapshot: TableSnapshot =
    (scans.map(_.snapshot) ++ spec.replaces.map(_ => table.snapshot))
      .minByOption(_.number)
      .getOrElse(TableSnapshot.load(table.timeline, config))
      .of(Nil)

  lazy val hadoopConf: Configuration = session.sessionState.newHadoopConf()

  /** Part of the table that the statement has to look at. */
  lazy val pruning: TargetPruning =
    new TargetPruning(spec, AttributeSet(target), snapshot, table.schema)

  /** Record keys of file slices. */
  lazy val keys: SliceKeys = SliceKeys.of(session, table, snapshot)

  /** Partitions that the statement replaces, if it replaces any. */
  lazy val replaced: Option[ReplacedPartitions] =
    spec.replaces.map(new ReplacedPartitions(table, snapshot, _, hadoopConf, keys.count))

  /** File groups as the statement numbers them, if the table has no buckets. */
  val fileGroups: NumberedFileGroups =
    new NumberedFileGroups(snapshot, spec.replaces.nonEmpty)

  /** Texts about the statement, for EXPLAIN. */
  val texts: WriteTexts = new WriteTexts(this)

  val action: String =
    if (spec.replaces.isEmpty) Instant.ofWrite(config.isMergeOnRead) else Instant.replaceCommit

  val hasBuckets: Boolean = config.hasBuckets

  val spansPartitions: Boolean = Tag.spansPartitions(spec, config)

  /** Why the table must be read; None if changes may be written to log files without reading it. */
  lazy val whyRead: Option[String] =
    BlindWrites.obstacle(spec, config, AttributeSet(target), spansPartitions)
      .orElse(Option.when(scans.nonEmpty)("the source reads the table"))
      .orElse {
        Option.when(WriteSettings.of(session.sessionState.conf).countsExactly)(
          s"${WriteSettings.Counts} is exact"
        )
      }

  /** Whether changes may be written to log files without reading the table. */
  def isBlind: Boolean = whyRead.isEmpty

  /** Whether columns or constraints were changed after the analysis: values of new columns would be lost
    * from rows that are carried over, and new constraints are not compared with the rows. */
  def hasOtherColumns: Boolean =
    snapshot.number != table.snapshot.number &&
      (snapshot.schema != table.snapshot.schema ||
        table.timeline.config().checks != table.config.checks)

  /** Whether the numbers of buckets were changed after the statement was planned: its rows would be
    * in the wrong ones. */
  def hasOtherCounts: Boolean = snapshot.counts != counts

  /** Turns of this write and of a rescale that is running; None if there is none, or if the write
    * may not be planned again. */
  def turns: Option[RescaleTurns] =
    Option.when(counts.exists(_.areMixed) && spec.replaces.isEmpty)(
      new RescaleTurns(table.timeline)
    )

  /** State of the table for the tasks of a statement on a table with buckets. */
  lazy val forTasks: Broadcast[TableForTasks] = shared(None)

  /** Broadcasts the state of the table to the tasks.
    * @param fileGroups file groups by partition, as the statement numbers them; None if the table
    *                   has buckets */
  private[exec] def shared(
      fileGroups: Option[Map[String, IndexedSeq[FileSlice]]]
  ): Broadcast[TableForTasks] = session.sparkContext.broadcast(
    TableForTasks(
      snapshot.checkedView,
      new SerializableConfiguration(hadoopConf),
      fileGroups,
      config.hashFields,
      table.timeline.layout
    )
  )

  /** Whether the statement looks at file groups that no source row belongs to. */
  def visitsFileGroups: Boolean = spec.notMatchedBySource.nonEmpty

  /** Returns the file groups to look at even if no source row belongs to them: partition path, and
    * bucket or number. None as partition stands for every partition. */
  def visitedFileGroups: Seq[(Option[String], Int)] =
    if (!visitsFileGroups) Seq.empty
    else {
      val visited = pruning.visited.slices.flatMap(s => numberOf(s).map((s.partition, _)))
      def tagged(number: Int) = counts.fold(number)(number % _.coarse)
      if (spansPartitions) visited.map(v => tagged(v._2)).distinct.map((Option.empty[String], _))
      else visited.map { case (partition, number) => (Some(partition), number) }
    }

  private def numberOf(slice: FileSlice): Option[Int] =
    if (hasBuckets) slice.bucket.map(_.number)
    else Some(fileGroups.numberOf(slice))

  override def toString: String = s"${spec.operation} of ${table.name}"
}
