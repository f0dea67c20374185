package hudilite.spark.command

import java.util.Locale

import scala.collection.immutable.VectorMap

import org.apache.spark.sql.catalyst.expressions.{Attribute, Literal}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Row, SparkSession}

/** DESCRIBE HISTORY: the instants of a table's active timeline, the latest first, with Delta's names
  * of columns. The rows are those of the procedure `show_timeline`.
  * @param limit most instants to show; None: all */
final case class HistoryCommand(target: CommandTarget, limit: Option[Int])
    extends LeafRunnableCommand {

  override val output: Seq[Attribute] = DataTypeUtils.toAttributes(HistoryCommand.schema)

  override def run(session: SparkSession): Seq[Row] =
    target
      .call("show_timeline", "limit" -> Literal(limit.getOrElse(Int.MaxValue)))
      .map(HistoryCommand.row)
}

object HistoryCommand {

  /** `version` is the commit number, NULL for an instant without one; `timestamp` is the time of
    * completion. A commit does not record its parameters, so `operationParameters` is NULL. */
  private val schema: StructType = new StructType()
    .add("version", LongType)
    .add("timestamp", TimestampType)
    .add("operation", StringType)
    .add("operationParameters", MapType(StringType, StringType))
    .add("operationMetrics", MapType(StringType, StringType))
    .add("instant", StringType, nullable = false)
    .add("action", StringType, nullable = false)
    .add("state", StringType, nullable = false)

  /** Delta's names of metrics, where one has the same meaning, and the columns of `show_timeline`. */
  private val metrics = Seq(
    "numFiles" -> "files_written",
    "numFileGroupsReplaced" -> "file_groups_replaced",
    "numOutputRows" -> "rows_written",
    "numTargetRowsInserted" -> "rows_inserted",
    "numTargetRowsUpdated" -> "rows_updated",
    "numTargetRowsDeleted" -> "rows_deleted",
    "numOutputBytes" -> "bytes_written"
  )

  private def row(of: Row): Row = {
    def value[A](column: String): Option[A] = Option(of.getAs[A](column))
    val known = metrics.flatMap { case (name, column) =>
      value[Long](column).map(count => name -> count.toString)
    }
    Row(
      value[java.lang.Long]("commit_number").orNull,
      of.getAs[Any]("completed_time"),
      value[String]("operation").getOrElse(of.getAs[String]("action").toUpperCase(Locale.ROOT)),
      null,
      if (known.isEmpty) null else VectorMap.from(known),
      of.getAs[String]("instant"),
      of.getAs[String]("action"),
      of.getAs[String]("state")
    )
  }
}
