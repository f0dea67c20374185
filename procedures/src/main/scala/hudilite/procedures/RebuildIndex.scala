package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.SerializableConfiguration

import hudilite.error.HudiliteException
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.exec.FileResult
import hudilite.timeline.FileGroupRef
import hudilite.verify.TableCheck
import hudilite.view.FileSlice

/** `CALL rebuild_index(table => 'db.t' [, partition => 'p=a'])`: writes the file groups anew whose
  * footers tell too little of their keys, with the same rows, as one commit; a table without such
  * gets none.
  *
  * Errors: those of [[Arguments]]; HUDILITE_ARGUMENT_INVALID for a partition that is not there;
  * HUDILITE_UNSUPPORTED_STATEMENT for a table with buckets, or of which nobody knows whether it has;
  * HUDILITE_MISSING_DATA_FILE, HUDILITE_CORRUPT_DATA_FILE; those of a commit.
  * Source: issue 6; hudi-format §4.6-4.7. */
final class RebuildIndex(catalog: TableCatalog) extends Procedure {

  override def name: String = "rebuild_index"
  override def description: String =
    "Writes the file groups anew whose key range or bloom filter is absent, damaged or overfull."

  override def parameters: Array[ProcedureParameter] = Array(
    ProcedureParameter.in("table", StringType).comment("name of the table").build(),
    ProcedureParameter
      .in("partition", StringType)
      .defaultValue("CAST(NULL AS STRING)")
      .comment("folder of the one partition to look at; all where nothing is said")
      .build()
  )

  override def call(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val table = arguments.table(0, "table")
    checkIndex(table)
    table.snapshot.checkNothingPlanned()
    val there = table.snapshot.partitions()
    val chosen = arguments.textOrNone(1).fold(there) { one =>
      if (!there.contains(one))
        throw arguments.invalid("partition", one, "Write the folder of a partition of the table.")
      Seq(one)
    }
    val session = SparkSession.active
    val poor = RebuildIndex.poor(session, chosen.flatMap(table.snapshot.slices))
    val done = if (poor.isEmpty) Nil else RebuildIndex.rebuild(session, table, poor.map(_._1))
    val reasons = poor.map { case (slice, code) => (slice.partition, slice.fileId) -> code }.toMap
    Result.of(
      RebuildIndex.schema,
      done.sortBy(d => (d.partition, d.fileId))
        .map(d => RebuildIndex.row(d, reasons((d.partition, d.fileId))))
    )
  }

  private def checkIndex(table: HudiliteTable): Unit = {
    val fix =
      if (table.config.hasBuckets)
        Some("Its keys are found by their buckets: there is nothing to rebuild.")
      else
        Option.when(!table.config.isIndexDeclared)(
          "It does not say how its keys are found: run CREATE TABLE name USING hudilite " +
            "[WITH BUCKETS n] LOCATION '...' once."
        )
    fix.foreach { text =>
      throw HudiliteException(
        "HUDILITE_UNSUPPORTED_STATEMENT",
        "statement" -> s"CALL $name",
        "table" -> table.name,
        "fix" -> text
      )
    }
  }
}

object RebuildIndex {

  private val schema: StructType = new StructType()
    .add("partition", StringType, nullable = false)
    .add("file_id", StringType, nullable = false)
    .add("rows", LongType, nullable = false)
    .add("reason", StringType, nullable = false)

  private def row(done: FileResult, reason: String): InternalRow = InternalRow(
    UTF8String.fromString(done.partition),
    UTF8String.fromString(done.fileId),
    done.rows,
    UTF8String.fromString(reason)
  )

  /** Slices whose footers say too little, each with the code of the first thing that is wrong. */
  private def poor(session: SparkSession, slices: Seq[FileSlice]): Seq[(FileSlice, String)] =
    if (slices.isEmpty) Nil
    else {
      val context = session.sparkContext
      val conf = context.broadcast(
        new SerializableConfiguration(session.sessionState.newHadoopConf())
      )
      val tasks = math.min(slices.size, context.defaultParallelism * tasksPerCore)
      judged(context.parallelize(slices, tasks), conf).collect().toSeq
    }

  private val tasksPerCore = 4

  private def judged(
      slices: RDD[FileSlice],
      conf: Broadcast[SerializableConfiguration]
  ): RDD[(FileSlice, String)] =
    slices.flatMap(slice => fault(slice, conf.value.value).map(slice -> _))

  private def fault(slice: FileSlice, conf: Configuration): Option[String] = {
    val place = (Seq(slice.partition).filter(_.nonEmpty) :+ slice.fileName).mkString("/")
    val file = new TableCheck.BaseFile(slice, place, None)
    FileFooter.read(file, conf) match {
      case Right(footer) => footer.indexFault(file)
      case Left(unreadable) =>
        throw HudiliteException(
          "HUDILITE_CORRUPT_DATA_FILE",
          "path" -> slice.path.toString,
          "reason" -> unreadable.detail
        )
    }
  }

  /** One commit, with a task for each file group. */
  private def rebuild(
      session: SparkSession,
      table: HudiliteTable,
      slices: Seq[FileSlice]
  ): Seq[FileResult] = {
    val touched = slices.map(s => FileGroupRef(s.partition, s.fileId)).toSet
    new RewriteRun(session, table, "UPSERT", Map.empty)
      .commit(slices.map(_.partition).distinct, touched) { rewrite =>
        session.sparkContext.parallelize(slices, slices.size).map(copied(rewrite, _))
      }
  }

  private def copied(rewrite: FileRewrite, slice: FileSlice): FileResult =
    rewrite.write(slice.partition, slice.fileId, Some(slice), Seq(slice)) { (open, add) =>
      open.foreach { rows =>
        while (rows.hasRow) {
          add(rows.key, rows.row)
          rows.advance()
        }
      }
    }
}
