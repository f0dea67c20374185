package hudilite.spark.command

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{ColumnStat, LogicalPlan}
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.hudilite.ComputedStatistics
import org.apache.spark.sql.types._
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{Row, SparkSession}

import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.read.{FooterReads, HudiliteScanBuilder, ScanStatistics, SliceSelection}
import hudilite.view.TableStatistics

/** ANALYZE TABLE: counts the rows of the latest snapshot, reads the named columns, and stores the
  * statistics beside the numbers of the commits, and with them what the footers of the base files tell,
  * by which queries skip files, unless it is NOSCAN. Makes no commit.
  * @param columns columns to read; None: no statistics of columns */
final case class AnalyzeCommand(
    target: CommandTarget,
    columns: Option[AnalyzeCommand.Columns],
    noScan: Boolean
) extends LeafRunnableCommand {
  import AnalyzeCommand._

  /** Errors: HUDILITE_TABLE_READ_ONLY; UNRESOLVED_COLUMN; HUDILITE_UNSUPPORTED_CLAUSE for a column whose
    * type has no statistics. */
  override def run(session: SparkSession): Seq[Row] = {
    val table = target.reloaded
    table.checkWritable()
    val spark = ClassicSession.active
    val read = relation(table, CaseInsensitiveStringMap.empty)
    val asked = columns.toSeq.flatMap(chosen(_, read.output, session))
    def count(plan: LogicalPlan) =
      (ComputedStatistics.rows(spark, plan), Map.empty[Attribute, ColumnStat])
    val (rows, values) =
      if (asked.nonEmpty) ComputedStatistics.of(spark, read, asked)
      else count(if (noScan) relation(table, ofBases) else read)
    val slices = SliceSelection.of(table.snapshot, table.schema, Nil).slices
    val bytes = slices.map(_.dataLength).sum
    val found = values.map { case (column, value) =>
      column.name -> ScanStatistics.stored(value, column.dataType, rows)
    }
    val instant = table.snapshot.lastInstant.getOrElse("")
    TableStatistics(instant, rows, bytes, found)
      .after(TableStatistics.read(table.timeline))
      .write(table.timeline)
    if (!noScan) FooterReads.store(spark, target.table.name, table.snapshot, slices)
    Nil
  }

  private def relation(table: HudiliteTable, options: CaseInsensitiveStringMap) =
    DataSourceV2Relation.create(table, None, None, options)

  private def chosen(
      columns: Columns,
      all: Seq[Attribute],
      session: SparkSession
  ): Seq[Attribute] = columns match {
    case All => all.filter(hasStatistics)
    case Named(names) =>
      names.map { name =>
        val column = all.find(column => conf.resolver(column.name, name)).getOrElse {
          throw AnalysisErrors.spark(
            "UNRESOLVED_COLUMN.WITH_SUGGESTION",
            "objectName" -> s"`$name`",
            "proposal" -> all.map(column => s"`${column.name}`").mkString(", ")
          )
        }
        if (!hasStatistics(column)) throw unsupported(column, session)
        column
      }.distinct
  }

  private def unsupported(column: Attribute, session: SparkSession): Throwable = AnalysisErrors.of(
    "HUDILITE_UNSUPPORTED_CLAUSE",
    "clause" -> s"ANALYZE TABLE ... FOR COLUMNS ${column.name}, of type ${column.dataType.sql},",
    "table" -> target.table.name,
    "fix" -> ("For all columns that have statistics, write: ANALYZE TABLE " +
      s"${target.named(session).name} COMPUTE STATISTICS FOR ALL COLUMNS")
  )
}

object AnalyzeCommand {

  /** Choice of columns. */
  sealed trait Columns extends Product with Serializable
  case object All extends Columns
  final case class Named(names: Seq[String]) extends Columns

  /** Options of a read whose rows the footers of base files count. */
  private val ofBases = new CaseInsensitiveStringMap(
    java.util.Map.of(HudiliteScanBuilder.queryType, "read_optimized")
  )

  /** Whether Spark computes statistics of columns of a type. Source: its AnalyzeColumnCommand. */
  private def hasStatistics(column: Attribute): Boolean = column.dataType match {
    case _: NumericType | BooleanType | BinaryType | _: StringType => true
    case DateType | TimestampType | TimestampNTZType => true
    case _ => false
  }
}
