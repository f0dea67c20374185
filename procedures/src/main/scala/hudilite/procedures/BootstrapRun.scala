package hudilite.procedures

import java.util.UUID
import java.util.concurrent.TimeUnit.NANOSECONDS

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

import hudilite.bootstrap.SkeletonFacts
import hudilite.error.HudiliteException
import hudilite.format.TableConfig
import hudilite.io.Storage
import hudilite.procedures.BootstrapSource.Listed
import hudilite.procedures.BootstrapWork.{Item, Report}
import hudilite.spark.catalog.{HudiliteTable, SessionTables, TableDeclaration}
import hudilite.spark.write.WriteAttempt
import hudilite.timeline.{CommitMetadata, FileGroupRef, Instant, Transaction, WriteStat}
import hudilite.view.{
  BootstrapIndex,
  BootstrapPartition,
  PartitionMetafile,
  SourceFile,
  TableSnapshot
}

/** Run of one CALL bootstrap. Runs on the driver. It writes, in this order: hoodie.properties, the
  * skeletons, the bootstrap index, the rewritten base files, the commit, the catalog entry. A call
  * that ends before the commit leaves no table. If a call ends after the commit, the next one only
  * adds the catalog entry.
  * Source: seed 002 §4; hudi-format §8. */
private[procedures] final class BootstrapRun(session: SparkSession, request: BootstrapRequest) {
  private val began = System.nanoTime
  private val tables = new SessionTables(session)
  private val plan = new BootstrapPlan(session, request)
  private val basePath = plan.basePath
  private val storage = Storage.of(basePath, session.sessionState.newHadoopConf())
  private val name = request.table.unquotedString
  private val declared = plan.declaration(plan.columns)
  private val survey = new BootstrapSurvey(session, request, plan)

  /** Returns the rows of a dry run, one per file. Writes nothing.
    * Errors: HUDILITE_BOOTSTRAP_SOURCE_INVALID if the columns of two files conflict;
    * HUDILITE_LOCATION_NOT_EMPTY, HUDILITE_LOCATION_FOREIGN. */
  def look(): Seq[InternalRow] = {
    checkPlace()
    val config = configOf(declared, "")
    survey.rows(plan.items(""), survey.work(config, None))
  }

  /** Creates the table, or finishes a bootstrap of it that was killed.
    * Errors: those of the data, see [[BootstrapSurvey.check]]; those of a commit;
    * HUDILITE_LOCATION_NOT_EMPTY, HUDILITE_LOCATION_FOREIGN. */
  def run(): BootstrapReport = {
    val leftover = checkPlace()
    leftover.flatMap(finished).getOrElse(make(isFresh = leftover.isEmpty))
  }

  /** Checks that the location is free, or has an earlier bootstrap of the same source.
    * @return the table of that earlier bootstrap, committed or not
    * Errors: HUDILITE_LOCATION_NOT_EMPTY, HUDILITE_LOCATION_FOREIGN if the location has anything
    * else. */
  private def checkPlace(): Option[HudiliteTable] = {
    def taken() = tables.checkEmpty(request.table, Some(basePath.toString))
    if (!tables.holdsTable(basePath)) {
      taken()
      None
    } else {
      val found = HudiliteTable.open(session, name, basePath, Map.empty)
      if (!found.config.bootstrapSource.contains(plan.source.base.toString)) taken()
      Some(found)
    }
  }

  /** Creates the catalog entry of a bootstrap that was killed after its commit.
    * @return its report; None if it was not committed, after it has been rolled back */
  private def finished(found: HudiliteTable): Option[BootstrapReport] =
    if (found.log.rollback.ofBootstrap()) None
    else {
      val snapshot = TableSnapshot.load(storage, basePath, found.config)
      val facts = found.config
      if (
        facts.recordKeyFields != declared.keyFields || facts.partitionFields != declared.partitionFields
      )
        tables.checkEmpty(request.table, Some(basePath.toString))
      tables.enter(declared.copy(schema = found.schema), basePath)
      val made = snapshot.instants.filter(Instant.bootstraps.contains).lastOption
      val extra = made.flatMap(snapshot.metadata).fold(Map.empty[String, String])(_.extra)
      val instant = made.orElse(snapshot.lastInstant).getOrElse("")
      Some(BootstrapReport.of(extra, storage.bytesBelow(basePath), instant))
    }

  private def make(isFresh: Boolean): BootstrapReport = {
    val wasAbsent = storage.status(basePath).isEmpty
    val uuid = UUID.randomUUID.toString
    val config = configOf(declared, uuid)
    put(config, isFresh)
    val table = HudiliteTable.open(session, name, basePath, Map.empty)
    val items = plan.items(uuid)
    def begin(instant: String) = table.log.beginBootstrap(table.snapshot.base, instant)
    val first = Option.when(items.exists(_.isAdopted))(begin(Instant.bootstrap))
    val second = Option.when(!items.forall(_.isAdopted))(begin(Instant.fullBootstrap))
    val writes = second.toSeq ++ first // the one that makes the commit comes first
    def explain(e: Throwable) = writes.head.explain(HudiliteException.find(e).getOrElse(e))
    def abort(): Unit =
      if (writes.forall(_.abort(items.map(_.partition).distinct)) && isFresh)
        tables.undo(basePath, storage, wasAbsent)
    WriteAttempt.run(explain, () => abort()) {
      val (report, columns) = write(config, items, first, second)
      tables.enter(plan.declaration(columns), basePath)
      report.copy(written = storage.bytesBelow(basePath), seconds = seconds)
    }
  }

  private def write(
      config: TableConfig,
      items: Seq[Item],
      first: Option[Transaction],
      second: Option[Transaction]
  ): (BootstrapReport, StructType) = {
    val work = survey.work(config, first)
    val found = survey.run(items, work)
    survey.check(items, work, found)
    val left = found.reports.filter(_.fault.nonEmpty).map(_.ordinal).toSet
    val columns = survey.columns(found.reports)
    val facts = configOf(plan.declaration(columns), config.uuid)
    if (facts != config)
      storage.replace(HudiliteTable.propertiesFile(basePath), TableConfig.render(facts))
    val (adopted, rewritten) = items.filterNot(i => left(i.ordinal)).partition(_.isAdopted)
    val schema = facts.createSchema.getOrElse("")
    val report = reportOf(adopted, rewritten, found.reports, left)
    val adoption = first.map { write =>
      index(adopted, found.reports)
      val stats = adopted.map(item => stat(item, found.reports(item.ordinal)))
      write.removeLosers(adopted.map(_.partition).distinct, stats.map(_.path).toSet): Unit
      adopted.map(_.partition).distinct.foreach(enter(_, write.instant))
      write -> CommitMetadata(BootstrapRun.operation, schema, stats, extra = report.kept)
    }
    val anew = second.map { write =>
      val current = HudiliteTable.open(session, name, basePath, Map.empty)
      val files: Seq[Listed] = rewritten.map(item => plan.files(item.ordinal))
      val made = new BootstrapRewrite(session, current, plan.source).run(files, columns, write)
      write -> made.copy(extra = made.extra ++ report.kept)
    }
    val all = anew.toSeq ++ adoption
    val (last, its) = all.head
    val result = last.commit(its, Set(FileGroupRef.wholeTable), before = all.lift(1))
    (report.copy(instant = result.instant), columns)
  }

  private def reportOf(
      adopted: Seq[Item],
      rewritten: Seq[Item],
      reports: Seq[Report],
      left: Set[Int]
  ): BootstrapReport = BootstrapReport(
    adopted.size,
    rewritten.size,
    left.size,
    reports.filterNot(r => left(r.ordinal)).map(_.rows).sum,
    reports.map(_.read).sum + rewritten.map(_.length).sum,
    written = 0L,
    seconds = 0.0,
    instant = ""
  )

  private def index(adopted: Seq[Item], reports: Seq[Report]): Unit = {
    val partitions = adopted.groupBy(_.partition).toSeq.sortBy(_._1).map {
      case (partition, items) =>
        BootstrapPartition(
          partition,
          plan.files(items.head.ordinal).folder,
          items.map { item =>
            val file = plan.files(item.ordinal)
            val footer = Some(reports(item.ordinal).footer)
            val sequence = Some(SkeletonFacts.sequencePrefix(BootstrapIndex.instant, item.ordinal))
            item.fileId -> SourceFile(file.path, file.length, file.modified, footer, sequence)
          }.toMap
        )
    }
    BootstrapIndex.write(
      storage,
      basePath,
      plan.source.base,
      partitions,
      System.currentTimeMillis()
    )
  }

  private def stat(item: Item, report: Report): WriteStat = {
    val (file, length) = report.skeleton.getOrElse(
      throw new IllegalStateException(s"INTERNAL: ${item.path} has no skeleton")
    )
    WriteStat(
      fileId = item.fileId,
      path = (Seq(item.partition).filter(_.nonEmpty) :+ file).mkString("/"),
      prevCommit = WriteStat.noCommit,
      prevBaseFile = None,
      partitionPath = item.partition,
      numWrites = report.rows,
      numInserts = report.rows,
      numUpdateWrites = 0,
      numDeletes = 0,
      totalWriteBytes = length,
      fileSizeInBytes = length
    )
  }

  private def enter(partition: String, instant: String): Unit = PartitionMetafile.write(
    storage,
    basePath,
    partition,
    instant,
    declared.partitionFields.size
  )

  private def put(config: TableConfig, isFresh: Boolean): Unit = {
    val file = HudiliteTable.propertiesFile(basePath)
    val bytes = TableConfig.render(config)
    if (!isFresh) storage.replace(file, bytes)
    else if (!storage.createNew(file, bytes))
      tables.checkEmpty(request.table, Some(basePath.toString))
  }

  private def configOf(declaration: TableDeclaration, uuid: String): TableConfig =
    declaration.config(uuid).bootstrapped(
      plan.source.base.toString,
      adopts = plan.files.exists(plan.isAdopted)
    )

  private def seconds: Double = NANOSECONDS.toMillis(System.nanoTime - began) / 1000.0
}

private[procedures] object BootstrapRun {

  /** Operation type in the metadata of a bootstrap's commits. */
  val operation = "BOOTSTRAP"
}
