package hudilite.procedures

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.{StringType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.SerializableConfiguration

import hudilite.bootstrap.SkeletonLayout
import hudilite.error.HudiliteException
import hudilite.format.{MetaFields, TableConfig}
import hudilite.procedures.BootstrapJob.Found
import hudilite.procedures.BootstrapWork._
import hudilite.spark.read.SliceReader
import hudilite.spark.write.{FileLayout, PendingWrite}
import hudilite.timeline.{Instant, Transaction}

/** Inspection of the source files, and checks of its result. Runs on the driver; the Spark jobs are
  * those of [[BootstrapJob]]. */
private[procedures] final class BootstrapSurvey(
    session: SparkSession,
    request: BootstrapRequest,
    plan: BootstrapPlan
) {
  private val name = request.table.unquotedString

  /** Builds the facts that the tasks share.
    * @param first write that creates skeletons, if there is one */
  def work(config: TableConfig, first: Option[Transaction]): BootstrapWork = {
    val layout = FileLayout.of(session.sessionState.conf)
    val columns =
      StructType(config.recordKeyFields.flatMap(key => plan.columns.find(_.name == key)))
    val schema = StructType(
      MetaFields.all.map(StructField(_, StringType)) ++ plan.columns ++ plan.source.partitionColumns
    )
    val plain = config.withoutBootstrap
    val keys = SourceKeyFacts(
      name,
      config.recordKeyFields,
      config.complexKey,
      columns,
      plan.source.partitionColumns,
      SliceReader.factory(session, plain, schema, columns, Array.empty, strict = true)
    )
    BootstrapWork(
      plan.basePath.toString,
      first.map { write =>
        PendingWrite(
          name,
          plan.basePath.toString,
          write.instant,
          write.ticket.action,
          Some(write.ticket)
        )
      },
      Instant.bootstrap,
      plan.columns,
      keys,
      config.partitionFields.forall(config.recordKeyFields.contains),
      SkeletonLayout(layout.codec, layout.pageRows, layout.filterType),
      ranges,
      session.sparkContext.broadcast(
        new SerializableConfiguration(session.sessionState.newHadoopConf())
      )
    )
  }

  /** Inspects all files, and writes skeletons if `work` has a pending write. */
  def run(items: Seq[Item], work: BootstrapWork): Found =
    BootstrapJob.run(session, plan.bins(items), work)

  private def twice(
      items: Seq[Item],
      work: BootstrapWork,
      found: Found
  ): RDD[BootstrapJob.Twice] = {
    val read = items.filter(item => found.reports(item.ordinal).fault.isEmpty)
    if (found.repeated.isEmpty || read.isEmpty) session.sparkContext.emptyRDD
    else BootstrapJob.twice(session, plan.bins(read), work, found.repeated)
  }

  /** Merges the columns of all files that have no fault.
    * Errors: HUDILITE_BOOTSTRAP_SOURCE_INVALID if two files have conflicting columns. */
  def columns(reports: Seq[Report]): StructType = {
    val others =
      reports.filter(_.fault.isEmpty).flatMap(r => r.columns.map(_ -> r)).distinctBy(_._1)
    val first = reports.find(r => r.fault.isEmpty && r.columns.isEmpty)
    others.foldLeft(plan.columns) { case (all, (columns, report)) =>
      BootstrapColumns.merged(all, columns) match {
        case Right(more) => more
        case Left(conflict) =>
          val here = plan.files(report.ordinal).path
          val there = first.fold(plan.files.head.path)(r => plan.files(r.ordinal).path)
          throw invalid(s"its files $there and $here do not agree: ${conflict.text}",
            "Bring them to one schema, or bootstrap them apart.")
      }
    }
  }

  /** Fails if the files cannot become a table.
    * Errors: HUDILITE_BOOTSTRAP_SOURCE_INVALID, HUDILITE_KEY_COLUMN_INVALID, HUDILITE_NULL_KEY,
    * HUDILITE_KEY_VALUE_INVALID, HUDILITE_DUPLICATE_KEY. */
  def check(items: Seq[Item], work: BootstrapWork, found: Found): Unit = {
    val faults = found.reports.flatMap(r => r.fault.map(r -> _))
    def path(report: Report) = items(report.ordinal).path
    faults.foreach {
      case (report, Unreadable(reason)) if !request.skipsCorrupt =>
        throw BootstrapSource.unreadable(request.source, path(report), reason)
      case (report, NoKeyColumn(column, reason)) =>
        throw HudiliteException(
          "HUDILITE_KEY_COLUMN_INVALID",
          "table" -> name,
          "column" -> column,
          "reason" -> s"file ${path(report)}: $reason"
        )
      case _ => ()
    }
    checkNulls(found.reports)
    faults.collectFirst { case (report, InvalidKey(column, reason)) =>
      throw HudiliteException(
        "HUDILITE_KEY_VALUE_INVALID",
        "column" -> column,
        "table" -> name,
        "reason" -> s"$reason (file ${path(report)})"
      )
    }
    if (faults.size == items.size)
      throw invalid("none of its files has rows", "Create the table with CREATE TABLE.")
    checkRepeated(twice(items, work, found))
  }

  private def checkNulls(reports: Seq[Report]): Unit = {
    val counts = reports.map(_.nulls).filter(_.nonEmpty)
    val columns = plan.declaration(plan.columns).keyFields
    val lacking = columns.indices.map(i => columns(i) -> counts.map(_(i)).sum).filter(_._2 > 0)
    if (lacking.nonEmpty)
      throw HudiliteException(
        "HUDILITE_NULL_KEY",
        "table" -> name,
        "column" -> lacking.map { case (column, n) => s"$column ($n rows)" }.mkString(", ")
      )
  }

  private def checkRepeated(twice: RDD[BootstrapJob.Twice]): Unit = {
    val keys = twice.map(_.key).takeOrdered(BootstrapSurvey.named).toSeq
    if (keys.nonEmpty) {
      val count = twice.count()
      val shown = keys.mkString(", ")
      throw HudiliteException(
        "HUDILITE_DUPLICATE_KEY",
        "table" -> name,
        "keys" -> (if (count > keys.size) s"$shown and others, $count in all" else shown)
      )
    }
  }

  /** Returns the rows of a dry run, one per file.
    * Errors: those of [[columns]]. */
  def rows(items: Seq[Item], work: BootstrapWork): Seq[InternalRow] = {
    val found = run(items, work)
    columns(found.reports): Unit
    val repeated = twice(items, work, found).flatMap(_.files).reduceByKey(_ + _).collect().toMap
    found.reports.map(report => row(items(report.ordinal), report, repeated))
  }

  private def row(item: Item, report: Report, repeated: Map[Int, Long]): InternalRow = {
    val twice = repeated.getOrElse(item.ordinal, 0L)
    val reason = report.fault.map(_.text)
      .orElse(Option.when(twice > 0)("it has keys that come more than once"))
    val action = if (reason.nonEmpty) "refuse" else if (item.isAdopted) "adopt" else "rewrite"
    val isRead = report.fault.forall(f => !f.isInstanceOf[Unreadable])
    def known(n: Long): Any = if (isRead) n else null
    InternalRow(
      UTF8String.fromString(item.path),
      UTF8String.fromString(action),
      reason.map(UTF8String.fromString).orNull,
      known(report.rows),
      known(report.nulls.sum),
      known(twice),
      report.skeleton.filter(_ => reason.isEmpty).map(_._2).orNull
    )
  }

  private def ranges: Int = {
    val parts = plan.files.map(_.length).sum / BootstrapSurvey.bytesARange + 1
    val least = math.min(plan.files.size, session.sparkContext.defaultParallelism)
    math.min(math.max(parts, least.toLong), BootstrapSurvey.mostRanges.toLong).toInt
  }

  private def invalid(reason: String, fix: String): HudiliteException =
    BootstrapSource.invalid(request.source, reason, fix)
}

private[procedures] object BootstrapSurvey {

  /** Maximum number of keys in an error message. */
  private val named = 10

  /** Bytes of source files whose keys one task compares. */
  private val bytesARange = 512L << 20
  private val mostRanges = 10000
}
