package hudilite.spark.exec

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.physical.{ClusteredDistribution, Distribution}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.util.SerializableConfiguration

import hudilite.error.HudiliteException
import hudilite.format.{FileId, IndexKind, MetaSchema}
import hudilite.index.LookupCounts
import hudilite.spark.Warnings
import hudilite.spark.catalog.{BucketSizeWarning, HudiliteTable}
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

/** One run of one statement: its snapshot, its instant and its commit (driver side).
  *
  * The operators of a plan share it. Nothing is read or written before `begin`, so a plan that is
  * only explained leaves no trace.
  *
  * @param target attributes of the table's columns as the statement's clauses name them
  * @param scans  reads of the same table in the source: the write builds on what the oldest has seen
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

  /** What is replaced as a whole was chosen by what the analysis saw; the source may read a part of
    * the table by path, the write looks at all of it. */
  private lazy val snapshot: TableSnapshot =
    (scans.map(_.snapshot) ++ spec.replaces.map(_ => table.snapshot))
      .minByOption(_.number)
      .getOrElse(TableSnapshot.load(storage, table.basePath, config))
      .of(Nil)
  private lazy val looked = new LookedInto(spec, AttributeSet(target), snapshot, table.schema)

  private val action =
    if (spec.replaces.isEmpty) Instant.commit else Instant.replaceCommit
  private lazy val replacing =
    spec.replaces.map(new ReplacedPartitions(table, snapshot, _, conf))

  val spansPartitions: Boolean = Tag.spansPartitions(spec, config)

  val hasBuckets: Boolean = config.hasBuckets
  private var lookup: Option[BloomIndex] = None
  private val scope =
    new ConflictScope(hasBuckets, spec.joined.nonEmpty, spansPartitions || config.seeksEverywhere)
  private val known = new KnownGroups(snapshot, spec.replaces.nonEmpty)

  lazy val description: String =
    (Seq(table.name, spec.operation) ++ spec.joined.map(why => s"(joined: $why)") ++
      replacing.map(_.text) ++ adds).mkString(" ")

  private def adds: Option[String] =
    Option.when(table.added.nonEmpty)(s"adds ${table.added.fieldNames.mkString(", ")}")

  /** How source rows find their file groups, for EXPLAIN. */
  lazy val index: String = config.index match {
    case IndexKind.Bucket(count, fields) =>
      val where = if (spansPartitions) s" in ${looked.text}" else ""
      s"bucket(${fields.mkString(", ")}) of $count$where"
    case IndexKind.Bloom => s"bloom(${config.recordKeyFields.mkString(", ")})"
  }

  /** What is looked into besides, for EXPLAIN. */
  lazy val visits: String = if (visitsGroups) s", ${looked.visits}" else ""

  /** How they are looked up where there are no buckets, for EXPLAIN. */
  lazy val way: String = s"$index by ${BloomSettings.text(session.sessionState.conf)}"

  /** Takes the snapshot and the instant that the statement writes under; takes back what dead
    * writers have left.
    * @param rollbackMillis age from which a pending write counts as dead */
  def begin(rollbackMillis: Long): Unit = {
    checkColumns()
    log.rollback.dead(rollbackMillis): Unit
    transaction = Some(log.begin(snapshot.base, action, spec.stream))
  }

  /** Writes under an instant that somebody else begins and commits.
    * @param write begun by now */
  def join(write: Transaction): Unit = transaction = Some(write)

  /** Whether columns came after the analysis: they would be lost from the rows that are carried. */
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

  /** Source rows of one file group in one task. The number of tasks stands fixed: adaptive execution
    * would count the bytes of the source alone, and give a few thousand keys with all the file
    * groups that they touch to a single task.
    * @param group what tells the file group */
  def grouped(group: Seq[Expression]): Distribution =
    ClusteredDistribution(group, requiredNumPartitions = Some(tasks))

  /** Not more than there are buckets to work on, nor than keep a local machine's cores busy. */
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

  /** Whether the statement looks at file groups that no source row falls into. */
  def visitsGroups: Boolean = spec.notMatchedBySource.nonEmpty

  /** Groups to look at even if no source row falls into them. */
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

  /** Finds the file groups of rows, where there are no buckets.
    * @param counts called in tasks with what they counted */
  def bloomIndex(counts: LookupCounts => Unit): BloomIndex = {
    val settings = session.sessionState.conf
    lookup.foreach(_.release())
    val inserts = spec.notMatched.nonEmpty
    val newest = snapshot.lastInstant
      .filter(_ => inserts)
      .filterNot(BootstrapIndex.instant.equals) // which tells of skeletons, not of rows
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

  /** What the tasks need; `source` are the attributes of a tagged row. */
  def facts(source: Seq[Attribute]): MergeFacts = {
    val readers = new GroupReaders(session, table, spec, target)
    MergeFacts(
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
        TaskTable(
          snapshot.checkedView,
          new SerializableConfiguration(conf),
          Option.when(!hasBuckets)(known.all)
        )
      )
    )
  }

  /** Commits what the tasks wrote; a statement that changed nothing leaves no commit.
    *
    * @param retries how often it was overtaken before
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
      val read = LookedInto.groups(scans) ++ scope.absent(results) ++ unchanged
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

  /** What the commit of a write that has joined another's says of the files of rows that are new.
    * @param operation of the commit */
  def prepared(result: MergeResult, operation: String): CommitMetadata = {
    val results = result.groups
    val written = results.filter(_.fileName.nonEmpty)
    current.removeLosers(results.map(_.partition).distinct, written.map(_.relativePath).toSet)
    enterPartitions(written)
    lookup.foreach(_.release())
    metadata(written, Map.empty, Map.empty).copy(operationType = operation)
  }

  private def enterPartitions(written: Seq[FileResult]): Unit =
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

  /** The error that the client gets for what a failed run threw. A write that was rolled back misses
    * its files before it learns why. */
  def explain(thrown: Throwable): Throwable = {
    def why(e: Throwable) = transaction.fold(e)(_.explain(e))
    HudiliteException.find(thrown) match {
      case None => why(thrown)
      case Some(e) if LostFile.conditions(e.condition) => why(e)
      case Some(e) => e
    }
  }

  /** Removes what the statement has left behind, if it began. */
  def abort(): Unit = {
    lookup.foreach(_.release())
    transaction.foreach(_.abort(): Unit)
    transaction = None
  }

  private def current: Transaction =
    transaction.getOrElse(throw new IllegalStateException("the statement has not begun"))

  private def avroSchema: String = table.avroSchema(snapshot)

  private def metadata(
      written: Seq[FileResult],
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

  /** File groups are of unlike size: several tasks a core even that out. */
  private val tasksPerCore = 4
}
