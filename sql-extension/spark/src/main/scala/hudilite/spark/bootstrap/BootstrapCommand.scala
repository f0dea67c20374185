package hudilite.spark.bootstrap

import java.util.UUID
import java.util.concurrent.TimeUnit.NANOSECONDS

import org.apache.spark.sql.classic.SparkSession

import hudilite.format.TableConfig
import hudilite.spark.catalog.{HudiliteTable, SessionTables}
import hudilite.spark.write.WriteAttempt
import hudilite.timeline.Instant
import hudilite.view.TableSnapshot

/** Creation of a table over existing Parquet files, or a dry run of it. Runs on the driver. It
  * writes, in this order: hoodie.properties, the skeletons, the bootstrap index, the rewritten base
  * files, the commit, the catalog entry. A call that ends before the commit leaves no table. If a
  * call ends after the commit, the next one only adds the catalog entry.
  * @param began time at which the call began, as System.nanoTime gives it
  * Source: seed 002 §4; hudi-format §8. */
final class BootstrapCommand(session: SparkSession, layout: BootstrapLayout, began: Long) {
  private val request = layout.request
  private val basePath = layout.basePath
  private val tables = new SessionTables(session)
  private lazy val timeline = HudiliteTable.newTimelineAt(session, basePath, declared.version)
  private def storage = timeline.storage
  private val declared = layout.declaration(layout.columns)

  /** Inspects the files and writes nothing.
    * @return one forecast per file
    * Errors: HUDILITE_BOOTSTRAP_SOURCE_INVALID if the columns of two files conflict, or an ordering
    * field of a merge-on-read table is NULL;
    * HUDILITE_LOCATION_NOT_EMPTY, HUDILITE_LOCATION_FOREIGN. */
  def dryRun(): Seq[FileForecast] = {
    checkPlace()
    val config = layout.config(declared, "")
    val files = layout.placed("")
    val facts = SkeletonTaskFacts.of(session, layout, config, None)
    val inspection = new SourceInspection(session, request.parallelism, files, facts)
    val inspected = inspection.run()
    val checks = new SourceChecks(layout, files)
    checks.checkOrdering(session, checks.columns(inspected.reports), inspected.reports)
    val duplicates =
      inspection.duplicates(inspected).flatMap(_.files).reduceByKey(_ + _).collect().toMap
    FileForecast.of(files, inspected, duplicates)
  }

  /** Creates the table, or finishes a bootstrap of it that was killed.
    * Errors: those of the data, see [[SourceChecks.check]]; those of a commit;
    * HUDILITE_LOCATION_NOT_EMPTY, HUDILITE_LOCATION_FOREIGN. */
  def run(): BootstrapResult = {
    val leftover = checkPlace()
    leftover.flatMap(finished).getOrElse(create(isFresh = leftover.isEmpty))
  }

  /** Checks that the location is free, or has an earlier bootstrap of the same source.
    * @return the table of that earlier bootstrap, committed or not
    * Errors: HUDILITE_LOCATION_NOT_EMPTY, HUDILITE_LOCATION_FOREIGN if the location has anything
    * else. */
  private def checkPlace(): Option[HudiliteTable] =
    if (!tables.holdsTable(basePath)) {
      checkEmpty()
      None
    } else {
      val found = open()
      if (!found.config.bootstrapSource.contains(layout.source.base.toString)) checkEmpty()
      Some(found)
    }

  /** Creates the catalog entry of a bootstrap that was killed after its commit.
    * @return its result; None if it was not committed, after it has been rolled back */
  private def finished(found: HudiliteTable): Option[BootstrapResult] =
    if (found.log.rollback.rollBackBootstrap()) None
    else {
      val snapshot = TableSnapshot.load(found.timeline, found.config)
      val facts = found.config
      val isSame = facts.recordKeyFields == declared.keyFields &&
        facts.partitionFields == declared.partitionFields &&
        facts.isMergeOnRead == declared.isMergeOnRead &&
        facts.orderingFields == declared.orderingFields
      if (!isSame) checkEmpty()
      tables.enter(declared.copy(schema = found.schema), basePath)
      val made = snapshot.instants.filter(Instant.bootstraps.contains).lastOption
      val extra = made.flatMap(snapshot.metadata).fold(Map.empty[String, String])(_.extra)
      val instant = made.orElse(snapshot.lastInstant).getOrElse("")
      Some(BootstrapResult.of(extra, storage.bytesBelow(basePath), instant))
    }

  /** Creates the table.
    * @param isFresh whether the location is free */
  private def create(isFresh: Boolean): BootstrapResult = {
    val wasAbsent = storage.status(basePath).isEmpty
    val uuid = UUID.randomUUID.toString
    val config = layout.config(declared, uuid)
    put(config, isFresh)
    val table = open()
    val files = layout.placed(uuid)
    val write = new BootstrapWrite(session, layout, timeline, config, files)
    WriteAttempt.of(
      () => write.begin(table),
      files.map(_.partition).distinct,
      aborted = () => if (isFresh) tables.undo(timeline, wasAbsent)
    ).run(write.prepare) { (_, prepared) =>
      val result = write.commit(prepared)
      tables.enter(layout.declaration(prepared.columns), basePath)
      result.copy(written = storage.bytesBelow(basePath), seconds = seconds)
    }
  }

  private def put(config: TableConfig, isFresh: Boolean): Unit = {
    val file = timeline.properties
    val bytes = TableConfig.render(config)
    if (!isFresh) storage.replace(file, bytes)
    else if (!storage.createNew(file, bytes)) checkEmpty()
  }

  private def open(): HudiliteTable =
    HudiliteTable.open(session, request.name, basePath, Map.empty)

  private def checkEmpty(): Unit = tables.checkEmpty(request.table, Some(basePath.toString))

  private def seconds: Double = NANOSECONDS.toMillis(System.nanoTime - began) / 1000.0
}

object BootstrapCommand {

  /** Operation type in the metadata of a bootstrap's commits. */
  val operation = "BOOTSTRAP"
}
