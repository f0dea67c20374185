package hudilite.spark.exec

import org.apache.hadoop.conf.Configuration

import hudilite.format.PartitionPath
import hudilite.io.Requests
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.{ReplacedCondition, Replacement}
import hudilite.spark.read.{KeptPartitions, PartitionPruning}
import hudilite.timeline.FileGroupRef
import hudilite.view.{FileSlice, OpenedFile, TableSnapshot}

/** Partitions that one run of a statement replaces, determined by listing (driver side). No file is
  * opened, except to count rows if a commit's metadata is missing.
  *
  * @param snapshot the one that the analysis used, so that any later commit conflicts
  * @param counted  returns the number of rows of slices with log files
  */
final class ReplacedPartitions(
    table: HudiliteTable,
    snapshot: TableSnapshot,
    replacement: Replacement,
    conf: Configuration,
    counted: Seq[FileSlice] => Long
) {
  private val config = table.config

  /** Text for EXPLAIN. */
  lazy val text: String = replacement match {
    case Replacement.Written => s"[replaces $replacement]"
    case _ =>
      val partitions = KeptPartitions.of(snapshot, mayHold(Set.empty))
      s"[replaces $replacement: ${partitions.kept.count(choice(Set.empty))} of ${partitions.all}]"
  }

  /** Returns the file slices that the statement hides, by partition. A partition that it writes has
    * an entry even without a slice.
    *
    * @param written partitions that the statement's rows went to
    * @throws hudilite.error.HudiliteException HUDILITE_REPLACE_MISMATCH if rows are outside of what is replaced
    */
  def slices(written: Set[String]): Map[String, Seq[FileSlice]] = {
    val holds = choice(written)
    written.find(partition => !holds(partition)).foreach { partition =>
      throw ReplacedCondition.fault(s"A row of partition $partition", replacement.toString,
        table.name)
    }
    val mayBeHeld = mayHold(written)
    val held = snapshot.partitions(mayBeHeld, mayBeHeld).filter(holds)
    val found = held.zip(Requests.of(held)(snapshot.groups)).toMap
    (found ++ (written -- found.keySet).map(_ -> Seq.empty[FileSlice]))
      .filter { case (partition, slices) => slices.nonEmpty || written(partition) }
  }

  /** Returns references to everything that no other commit may have touched since the snapshot. */
  def scope(replaced: Set[String]): Set[FileGroupRef] = replacement match {
    case Replacement.Folders(choices) => choices.map(scopeOf).toSet
    case _ => replaced.map(FileGroupRef.partition)
  }

  /** Returns the number of rows of the slices, from their commits' metadata or else from their
    * footers; those of slices with log files are counted. */
  def rows(slices: Seq[FileSlice]): Long = {
    val (bases, others) = slices.partition(_.isOnlyBase)
    rowsOf(bases) + (if (others.isEmpty) 0L else counted(others))
  }

  private def rowsOf(slices: Seq[FileSlice]): Long =
    slices.groupBy(_.instant).toSeq.flatMap { case (instant, ofInstant) =>
      val stats = snapshot.metadata(instant).toSeq.flatMap(_.stats)
      val known = stats.map(stat => stat.fileName -> stat.numWrites).toMap
      ofInstant.map { slice =>
        val name = slice.onlyBase.path.getName
        known.getOrElse(name, OpenedFile(slice, conf)(_.reader.getRecordCount))
      }
    }.sum

  private def choice(written: Set[String]): String => Boolean = replacement match {
    case Replacement.Written => written
    case Replacement.Folders(choices) =>
      partition =>
        choices.exists(levels => levels.isEmpty || PartitionPath.has(partition, levels, config))
    case Replacement.Where(condition) =>
      val decided = PartitionPruning.decide(config, table.schema, condition)
      partition =>
        PartitionPath
          .decode(partition, config)
          .exists(values => decided.flatMap(_(values)).contains(true))
  }

  /** Returns a test of the texts of the partition columns, or of the first of them, that is true for
    * every partition of [[choice]]. */
  private def mayHold(written: Set[String]): PartitionPruning.Keep = replacement match {
    case Replacement.Written =>
      val known = written.toSeq.map(PartitionPath.decode(_, config))
      values => known.exists(_.forall(_.startsWith(values)))
    case Replacement.Folders(choices) => PartitionPruning.ofFolders(config, choices)
    case Replacement.Where(condition) =>
      val decided = PartitionPruning.decide(config, table.schema, condition)
      values => !decided.flatMap(_(values)).contains(false)
  }

  private def scopeOf(levels: Map[Int, String]): FileGroupRef = {
    val depth = config.partitionFields.length
    val leading = (0 until depth).takeWhile(levels.contains).map(levels)
    if (leading.isEmpty) FileGroupRef.wholeTable
    else if (leading.length == depth) FileGroupRef.partition(leading.mkString("/"))
    else FileGroupRef.partition(leading.mkString("", "/", "/"))
  }
}
