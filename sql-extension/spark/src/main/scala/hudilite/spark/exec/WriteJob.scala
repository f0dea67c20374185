package hudilite.spark.exec

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.physical.{ClusteredDistribution, Distribution}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.util.SerializableConfiguration

import hudilite.error.HudiliteException
import hudilite.format.{FileId, IndexKind, MetaSchema}
import hudilite.index.LookupCounts
import hudilite.spark.catalog.{BucketSizeWarning, HudiliteTable}
import hudilite.spark.error.Warnings
import hudilite.spark.locate.{BloomIndex, NumberedFileGroups, Tag, TargetPruning}
import hudilite.spark.merge.{
  FileGroupResult,
  MergeReaders,
  MergeResult,
  MergeTaskFacts,
  TableForTasks
}
import hudilite.spark.plan.{BloomSettings, FileSizes, KeyText, MergeSpec}
import hudilite.spark.read.HudiliteScan
import hudilite.spark.write.{FileLayout, PendingWrite}
import hudilite.timeline.{
  CommitMetadata,
  FileGroupRef,
  Instant,
  Transaction
}
import hudilite.view.{BootstrapIndex, FileSlice, LostFile, PartitionMetafile, TableSnapshot}

/** One run of one write statement: its snapshot, its instant and its commit (driver side). The
  * operators of a plan share it.
  *
  * Nothing is written before `begin`, so a plan that is only explained leaves no trace.
  *
  * @param target attributes of the table's columns as the statement's clauses name them
  * @param scans  reads of the same table in the source: the write is based on the oldest of their
  *               snapshots
  */
final class WriteJob(
    session: SparkSession,
    table: HudiliteTable,
    spec: MergeSpec,
    target: Seq[Attribute],
    scans: Seq[HudiliteScan]
) {
  private val config = table.config
  private val conf = session.sessionState.newHadoopConf()
  private val storage = table.storage
  private val log = table.log
  private var transaction: Option[Transaction] = None

  /** Oldest snapshot of the source's scans, or the latest snapshot if there are none. A replacement
    * uses that of the analysis, too, because the analysis chose what is replaced. Covers the whole
    * table, even if the source reads a part of it by path. */
  private lazy val snapshot: TableSnapshot =
    (scans.map(_.snapshot) ++ spec.replaces.map(_ => table.snapshot))
      .minByOption(_.number)
      .getOrElse(TableSnapshot.load(storage, table.basePath, config))
      .of(Nil)
  private lazy val looked = new TargetPruning(spec, AttributeSet(target), snapshot, table.schema)

  private val action =
    if (spec.replaces.isEmpty) Instant.commit else Instant.replaceCommit
  private lazy val replacing =
    spec.replaces.map(new ReplacedPartitions(table, snapshot, _, conf))

  val spansPartitions: Boolean = Tag.spansPartitions(spec, config)

  val hasBuckets: Boolean = config.hasBuckets
  private var lookup: Option[BloomIndex] = None
  private val scope =
    new ConflictScope(hasBuckets, spec.joined.nonEmpty, spansPartitions || config.seeksEverywhere)
  private val known = new NumberedFileGroups(snapshot, spec.replaces.nonEmpty)

  lazy val description: String =
    (Seq(table.name, spec.operation) ++ spec.joined.map(why => s"(joined: $why)") ++
      replacing.map(_.text) ++ adds).mkString(" ")

  private def adds: Option[String] =
    Option.when(table.added.nonEmpty)(s"adds ${table.added.fieldNames.mkString(", ")}")

  /** Text on how source rows find their file groups, for EXPLAIN. */
  lazy val index: String = config.index match {
    case IndexKind.Bucket(count, fields) =>
      val where = if (spansPartitions) s" in ${looked.text}" else ""
      s"bucket(${fields.mkString(", ")}) of $count$where"
    case IndexKind.Bloom => s"bloom(${config.recordKeyFields.mkString(", ")})"
  }

  /** Text on what is visited without a source row, for EXPLAIN. */
  lazy val visits: String = if (visitsGroups) s", ${looked.visits}" else ""

  /** Text on how keys are looked up in a table without buckets, for EXPLAIN. */
  lazy val way: String = s"$index by ${BloomSettings.text(session.sessionState.conf)}"

  /** Begins the instant that the statement writes under, and rolls back what dead writers have
    * left.
    * @param rollbackMillis age in milliseconds from which a pending write counts as dead
    * Errors: HUDILITE_CONCURRENT_WRITE if columns were changed after the analysis. */
  def begin(rollbackMillis: Long): Unit = {
    checkColumns()
    log.rollback.dead(rollbackMillis): Unit
    transaction = Some(log.begin(snapshot.base, action, spec.stream))
  }

  /** Writes under an instant that another write begins and commits.
    * @param write already begun */
  def join(write: Transaction): Unit = transaction = Some(write)

  /** Whether columns were changed after the analysis: values of new columns would be lost from rows
    * that are carried over. */
  def hasOtherColumns: Boolean =
    snapshot.number != table.snapshot.number && snapshot.schema != table.snapshot.schema

  private def checkColumns(): Unit =
    if (hasOtherColumns)
      throw HudiliteException(
        "HUDILITE_CONCURRENT_WRITE",
        "table" -> table.name,
        "bucket" -> "of any number, by its columns,",
        "instant" -> snapshot.lastInstant.getOrElse("")
      )

  /** Returns a distribution with the source rows of one file group in one task. The number of tasks
    * is fixed, because adaptive execution counts only the bytes of the source: it would give a few
    * thousand keys, with all file groups that they touch, to a single task.
    * @param group expressions that identify the file group */
  def grouped(group: Seq[Expression]): Distribution =
    ClusteredDistribution(group, requiredNumPartitions = Some(tasks))

  /** Returns the number of tasks: the session's shuffle partitions, but not more than there are
    * buckets to merge, nor than keep a local machine's cores busy. */
  def tasks: Int = {
    val context = session.sparkContext
    val asked = session.sessionState.conf.numShufflePartitions
    val busy = if (context.isLocal) context.defaultParallelism * WriteJob.tasksPerCore else asked
    val isOneGroupABucket = config.partitionFields.isEmpty || spansPartitions
    val groups = config.index match {
      case IndexKind.Bucket(count, _) if isOneGroupABucket => count
      case _ => asked
    }
    Seq(asked, busy, groups).min
  }

  /** Whether the statement looks at file groups that no source row belongs to. */
  def visitsGroups: Boolean = spec.notMatchedBySource.nonEmpty

  /** Returns the file groups to look at even if no source row belongs to them. */
  def groupsToVisit: Seq[(Option[String], Int)] =
    if (!visitsGroups) Seq.empty
    else {
      val groups = looked.visited.slices.flatMap(s => numberOf(s).map((s.partition, _)))
      if (spansPartitions) groups.map(_._2).distinct.map((Option.empty[String], _))
      else groups.map { case (partition, bucket) => (Some(partition), bucket) }
    }

  private def numberOf(slice: FileSlice): Option[Int] =
    if (hasBuckets) FileId.bucketOf(slice.fileId)
    else Some(known.numberOf(slice))

  /** Returns the lookup of the file groups of rows, for a table without buckets.
    * @param counts called in tasks with their counts */
  def bloomIndex(counts: LookupCounts => Unit): BloomIndex = {
    val settings = session.sessionState.conf
    lookup.foreach(_.release())
    val inserts = spec.notMatched.nonEmpty
    val newest = snapshot.lastInstant
      .filter(_ => inserts)
      .filterNot(BootstrapIndex.instant.equals) // it describes skeletons, not rows
      .flatMap(snapshot.metadata)
    val index = new BloomIndex(
      session.sparkContext,
      session.sparkContext.broadcast(new SerializableConfiguration(conf)),
      known,
      inserts,
      FileSizes.of(settings, config.properties, newest.toSeq.flatMap(_.stats)),
      BloomSettings.pruning(settings),
      tasks,
      counts
    )
    lookup = Some(index)
    index
  }

  /** Returns the facts for the tasks; `source` are the attributes of a tagged row. */
  def facts(source: Seq[Attribute]): MergeTaskFacts = {
    val readers = new MergeReaders(session, table, spec, target)
    MergeTaskFacts(
      write = PendingWrite(table.name, table.basePath.toString, current.instant, action),
      tableUuid = config.uuid,
      complexKey = config.complexKey,
      spec = spec,
      target = target,
      source = source,
      newPartition = newPartition,
      schema = table.schema,
      avroSchema = MetaSchema.prepend(avroSchema),
      layout = FileLayout.of(session.sessionState.conf),
      factory = readers.whole,
      matchSchema = readers.matchSchema,
      matchFactory = readers.ofMatch(looked.filters(spansPartitions)),
      updated = readers.updated,
      allColumns = readers.all,
      changedColumns = readers.changed,
      partitions = if (spansPartitions) Some(looked.partitions) else None,
      replaces = spec.replaces.nonEmpty,
      seeksEverywhere = config.seeksEverywhere,
      shared = session.sparkContext.broadcast(
        TableForTasks(
          snapshot.checkedView,
          new SerializableConfiguration(conf),
          Option.when(!hasBuckets)(known.all)
        )
      )
    )
  }

  /** Commits what the tasks wrote. A statement that changed nothing leaves no commit.
    *
    * @param retries conflicts with newer commits before this run
    */
  def commit(result: MergeResult, retries: Int): WriteMetrics = {
    val results = result.groups
    val written = results.filter(_.fileName.nonEmpty)
    current.removeLosers(results.map(_.partition).distinct, written.map(_.relativePath).toSet)
    val hidden = replacing.fold(Map.empty[String, Seq[FileSlice]])(
      _.slices(written.map(_.partition).toSet)
    )
    val slices = hidden.values.flatten.toSeq
    val metrics = WriteMetrics.of(
      result,
      slices,
      if (written.isEmpty) replacing.fold(0L)(_.rows(slices)) else 0L,
      lookup.fold(0L)(_.sourceRows - result.counts.keyed),
      retries
    )
    if (written.isEmpty && hidden.isEmpty && table.added.isEmpty) abort()
    else {
      enterPartitions(written)
      val touched = written.flatMap(scope.of).toSet ++
        hidden.flatMap { case (partition, slices) =>
          slices.map(slice => FileGroupRef(partition, slice.fileId))
        } ++ replacing.toSeq.flatMap(_.scope(hidden.keySet)) ++
        Option.when(table.added.nonEmpty)(FileGroupRef.wholeTable)
      val unchanged = results.filter(_.fileName.isEmpty).flatMap(scope.of)
      val read = TargetPruning.groups(scans) ++ scope.absent(results) ++ unchanged
      val made = metadata(written, hidden, metrics.extra)
      if (table.added.nonEmpty) HudiliteTable.declare(table)
      current.commit(made, touched, read)
      transaction = None
      BucketSizeWarning.give(table.name, table.basePath, config, made.stats)
    }
    lookup.map(_.filesWithoutRange).filter(_.nonEmpty).foreach(warnOf)
    lookup.foreach(_.release())
    metrics
  }

  /** Returns the commit metadata of a write that has joined another write's instant. Covers new
    * files only: it hides no file group.
    * @param operation of the commit */
  def prepared(result: MergeResult, operation: String): CommitMetadata = {
    val results = result.groups
    val written = results.filter(_.fileName.nonEmpty)
    current.removeLosers(results.map(_.partition).distinct, written.map(_.relativePath).toSet)
    enterPartitions(written)
    lookup.foreach(_.release())
    metadata(written, Map.empty, Map.empty).copy(operationType = operation)
  }

  private def enterPartitions(written: Seq[FileGroupResult]): Unit =
    written.filter(_.prevBaseFile.isEmpty).map(_.partition).distinct.foreach { partition =>
      PartitionMetafile.write(
        storage,
        table.basePath,
        partition,
        current.instant,
        config.partitionFields.size
      )
    }

  private def warnOf(rangeless: Seq[String]): Unit = {
    val named = rangeless.take(LookupCounts.named).mkString(", ")
    val others = if (rangeless.size > LookupCounts.named) " and others" else ""
    Warnings.say(
      s"${table.name}: the footers of $named$others tell no range of keys, so every key was looked " +
        s"for in them. CALL rebuild_index(table => '${table.name}') gives them one."
    )
  }

  /** Returns the error for the client after a failed run. A write that was rolled back may first
    * fail because its files are missing. */
  def explain(thrown: Throwable): Throwable = {
    def why(e: Throwable) = transaction.fold(e)(_.explain(e))
    HudiliteException.find(thrown) match {
      case None => why(thrown)
      case Some(e) if LostFile.conditions(e.condition) => why(e)
      case Some(e) => e
    }
  }

  /** Deletes what the statement has written, if it began. */
  def abort(): Unit = {
    lookup.foreach(_.release())
    transaction.foreach(_.abort(): Unit)
    transaction = None
  }

  private def current: Transaction =
    transaction.getOrElse(throw new IllegalStateException("the statement has not begun"))

  private def avroSchema: String = table.avroSchema(snapshot)

  private def metadata(
      written: Seq[FileGroupResult],
      hidden: Map[String, Seq[FileSlice]],
      extra: Map[String, String]
  ): CommitMetadata = CommitMetadata(
    spec.operation,
    avroSchema,
    written.map(_.stat),
    hidden.map { case (partition, slices) => partition -> slices.map(_.fileId) },
    extra
  )

  private def newPartition: Expression = {
    val byName = target.map(a => a.name -> a).toMap
    KeyText.partitionPath(
      config.partitionFields,
      config.partitionFields.map(byName),
      config.hiveStyle,
      config.urlEncode
    )
  }
}

object WriteJob {

  /** File groups differ in size: several tasks for each core even that out. */
  private val tasksPerCore = 4
}
