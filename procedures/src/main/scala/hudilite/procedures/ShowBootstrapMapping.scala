package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{BooleanType, IntegerType, LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.catalog.HudiliteTable
import hudilite.view.{BootstrapIndex, BootstrapPartition, SourceFile}

/** `CALL show_bootstrap_mapping(table => 'db.t' [, partition => 'p=a'] [, limit => 100])`: the file
  * that each adopted file group's data lie in, as the bootstrap index has it, by partition and file
  * id; no row of a table that was not bootstrapped.
  *
  * Errors: those of [[Arguments]]; HUDILITE_ARGUMENT_INVALID for a partition that is not there;
  * HUDILITE_MISSING_FILE, HUDILITE_CORRUPT_TIMELINE for a lost or damaged index.
  * Source: hudi-format §8.4. */
final class ShowBootstrapMapping(catalog: TableCatalog) extends Procedure {

  override def name: String = "show_bootstrap_mapping"
  override def description: String =
    "The source file of each adopted file group, and whether its data still lie there."

  override def parameters: Array[ProcedureParameter] = Array(
    ProcedureParameter.in("table", StringType).comment("name of the table").build(),
    ProcedureParameter
      .in("partition", StringType)
      .defaultValue("CAST(NULL AS STRING)")
      .comment("folder of the one partition to show; all where nothing is said")
      .build(),
    ProcedureParameter
      .in("limit", IntegerType)
      .defaultValue("100")
      .comment("rows to show at most")
      .build()
  )

  override def call(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val table = arguments.table(0, "table")
    val asked = arguments.textOrNone(1)
    val limit = arguments.limit(2, "limit")
    val (base, all) = ShowBootstrapMapping.mapping(table)
    val partitions = all.filter(of => asked.forall(_ == of.partition)).sortBy(_.partition)
    asked.filter(_ => partitions.isEmpty).foreach { one =>
      if (!table.snapshot.partitions().contains(one))
        throw arguments.invalid("partition", one, "Write the folder of a partition of the table.")
    }
    val shown = partitions.flatMap(of => of.files.toSeq.sortBy(_._1).map(of -> _)).take(limit)
    val skeletons = shown.map(_._1.partition).distinct.flatMap { partition =>
      val groups = table.snapshot.groups(partition).filter(BootstrapIndex.isSkeleton)
      groups.map(group => partition -> group.fileId)
    }.toSet
    Result.of(
      ShowBootstrapMapping.schema,
      shown.map { case (of, (fileId, source)) =>
        ShowBootstrapMapping.row(base, of, fileId, source, skeletons(of.partition -> fileId))
      }
    )
  }
}

object ShowBootstrapMapping {

  /** Names and order of stock Hudi's procedure; what it has not comes last. */
  private val schema: StructType = new StructType()
    .add("partition", StringType, nullable = false)
    .add("file_id", StringType, nullable = false)
    .add("source_base_path", StringType, nullable = false)
    .add("source_partition", StringType, nullable = false)
    .add("source_file", StringType, nullable = false)
    .add("source_bytes", LongType, nullable = false)
    .add("current", BooleanType, nullable = false)

  private def mapping(table: HudiliteTable): (String, Seq[BootstrapPartition]) =
    if (!table.config.isBootstrapped || adoptedNothing(table)) ("", Nil)
    else {
      val (base, partitions) = BootstrapIndex.mapping(table.storage, table.basePath)
      (base.toString, partitions)
    }

  /** A bootstrap that rewrote all rows leaves no index. */
  private def adoptedNothing(table: HudiliteTable): Boolean =
    !BootstrapIndex.exists(table.storage, table.basePath) &&
      !table.snapshot.partitions().exists(
        table.snapshot.groups(_).exists(BootstrapIndex.isSkeleton)
      )

  private def row(
      base: String,
      of: BootstrapPartition,
      fileId: String,
      source: SourceFile,
      isCurrent: Boolean
  ): InternalRow = InternalRow(
    text(of.partition),
    text(fileId),
    text(base),
    text(of.sourcePartition),
    text(source.path.toString),
    source.length,
    isCurrent
  )

  private def text(value: String): UTF8String = UTF8String.fromString(value)
}
