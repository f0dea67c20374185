package hudilite.spark.bootstrap

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

import hudilite.commit.Transaction
import hudilite.format.TableConfig
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.write.{PendingWrite, PhaseMillis}
import hudilite.timeline.{CommitMetadata, FileGroupRef, Instant, TimelineFiles}

/** Files and commit of a new table over existing files. Runs on the driver. Adopted files get
  * skeletons under one instant, rewritten files become base files under another, and both instants
  * commit together.
  * @param config properties of the table, as hoodie.properties has them
  * @param files  in the order of their ordinals */
final class BootstrapWrite(
    session: SparkSession,
    layout: BootstrapLayout,
    timeline: TimelineFiles,
    config: TableConfig,
    files: Seq[PlacedFile]
) {
  import BootstrapWrite._

  /** Begins an instant for the skeletons if a file is adopted, and one for the base files if a file
    * is rewritten.
    * @return the instants; the first one makes the commit */
  def begin(table: HudiliteTable): Seq[Transaction] = {
    val action = Instant.ofWrite(config.isMergeOnRead)
    def begun(instant: String) = table.log.beginBootstrap(table.snapshot.base, instant, action)
    val adoption = Option.when(files.exists(_.isAdopted))(begun(Instant.bootstrap))
    val rewrite = Option.when(!files.forall(_.isAdopted))(begun(Instant.fullBootstrap))
    rewrite.toSeq ++ adoption
  }

  /** Writes, in this order: the skeletons, the properties if the files have more columns than the
    * first one, the bootstrap index, the rewritten base files. Commits nothing.
    * @param writes the instants that were begun
    * Errors: those of the data, see [[SourceChecks.check]]; those of an INSERT. */
  def prepare(writes: Seq[Transaction]): Prepared = {
    val adoption = writes.find(_.instant == Instant.bootstrap)
    val rewrite = writes.find(_.instant == Instant.fullBootstrap)
    val pending = adoption.map(write =>
      PendingWrite.of(layout.request.name, timeline, write).copy(ticket = Some(write.ticket))
    )
    val facts = SkeletonTaskFacts.of(session, layout, config, pending)
    val inspection = new SourceInspection(session, layout.request.parallelism, files, facts)
    val began = System.nanoTime
    val inspected = inspection.run()
    val checks = new SourceChecks(layout, files)
    checks.check(inspected, inspection.duplicates)
    val reports = inspected.reports
    val columns = checks.columns(reports)
    checks.checkOrdering(session, columns, reports)
    val checked = System.nanoTime
    val schema = declare(columns)
    val (adopted, rewritten) =
      files.filter(file => reports(file.ordinal).fault.isEmpty).partition(_.isAdopted)
    val result = resultOf(adopted, rewritten, reports)
    val extra = result.extraMetadata
    val ofAdoption = adoption.map { write =>
      val metadata = skeletons.prepare(write, adopted, reports, schema, extra)
      write -> metadata.copy(extra = metadata.extra ++ PhaseMillis.withoutSource(began, checked))
    }
    val ofRewrite = rewrite.map { write =>
      val metadata = baseFiles(rewritten, columns, write)
      write -> metadata.copy(extra = metadata.extra ++ extra)
    }
    Prepared(columns, result, ofRewrite.toSeq ++ ofAdoption)
  }

  /** Commits all instants as one numbered commit.
    * Errors: those of a commit. */
  def commit(prepared: Prepared): BootstrapResult = {
    val (last, metadata) = prepared.writes.head
    val done =
      last.commit(metadata, Set(FileGroupRef.wholeTable), before = prepared.writes.lift(1))
    prepared.result.copy(instant = done.instant)
  }

  /** Adds the columns of all files to the properties.
    * @return Avro schema of the table */
  private def declare(columns: StructType): String = {
    val merged = layout.config(layout.declaration(columns), config.uuid)
    if (merged != config)
      timeline.storage.replace(timeline.properties, TableConfig.render(merged))
    merged.createSchema.getOrElse("")
  }

  private def skeletons = new SkeletonCommit(
    timeline,
    layout.source.base,
    config.partitionFields.size,
    file => layout.files(file.ordinal)
  )

  private def baseFiles(
      rewritten: Seq[PlacedFile],
      columns: StructType,
      write: Transaction
  ): CommitMetadata = {
    val table = HudiliteTable.open(session, layout.request.name, layout.basePath, Map.empty)
    val sources = rewritten.map(file => layout.files(file.ordinal))
    new SourceRewrite(session, table, layout.source).run(sources, columns, write)
  }

  private def resultOf(
      adopted: Seq[PlacedFile],
      rewritten: Seq[PlacedFile],
      reports: Seq[FileReport]
  ): BootstrapResult = BootstrapResult(
    adopted.size,
    rewritten.size,
    reports.count(_.fault.nonEmpty),
    reports.filter(_.fault.isEmpty).map(_.rows).sum,
    reports.map(_.read).sum + rewritten.map(_.length).sum,
    written = 0L,
    seconds = 0.0,
    instant = ""
  )
}

object BootstrapWrite {

  /** Files of a bootstrap that are ready to be committed.
    * @param columns columns of the source files, without partition columns
    * @param result  without the facts of the commit
    * @param writes  the instants with their metadata; the first one makes the commit */
  final case class Prepared(
      columns: StructType,
      result: BootstrapResult,
      writes: Seq[(Transaction, CommitMetadata)]
  )
}
