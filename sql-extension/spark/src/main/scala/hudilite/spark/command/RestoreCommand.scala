package hudilite.spark.command

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions.{Attribute, Literal}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types._
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{Row, SparkSession}

import hudilite.spark.catalog.{HudiliteTable, TimeTravel}

/** RESTORE: undoes the commits after an earlier state, by the procedure `restore`.
  * @param option read option that requests the state: versionAsOf or timestampAsOf
  * @param text   its value */
final case class RestoreCommand(target: CommandTarget, option: String, text: String)
    extends LeafRunnableCommand {

  override val output: Seq[Attribute] = DataTypeUtils.toAttributes(RestoreCommand.schema)

  /** Errors: HUDILITE_VERSION_NOT_FOUND, and those of the procedure. */
  override def run(session: SparkSession): Seq[Row] = {
    val to = earlier.snapshot.lastVersion.getOrElse(text)
    target.call("restore", "instant" -> Literal(to)).map { done =>
      val totals = FileTotals.of(target.reloaded)
      Row(
        totals.bytes,
        totals.files,
        done.getAs[Int]("files_deleted").toLong,
        done.getAs[Int]("commits_undone"),
        done.getAs[String]("restored_to"),
        done.getAs[String]("restore_instant")
      )
    }
  }

  private def earlier: HudiliteTable = {
    val options = new CaseInsensitiveStringMap(Map(option -> text).asJava)
    val found = TimeTravel.of(options, target.table.name) match {
      case Some(TimeTravel.Timestamp(micros)) => target.catalog.loadTable(target.ident, micros)
      case Some(TimeTravel.Until(instant)) =>
        target.catalog.loadTable(target.ident, TimeTravel.untilInstant(instant))
      case _ => target.catalog.loadTable(target.ident, text)
    }
    found match {
      case table: HudiliteTable => table
      case other => throw new IllegalStateException(s"INTERNAL: ${other.name} is another table now")
    }
  }
}

object RestoreCommand {

  /** `num_removed_files` counts the files of the commits that were undone, as far as they were
    * deleted. */
  private val schema: StructType = new StructType()
    .add("table_size_after_restore", LongType, nullable = false)
    .add("num_of_files_after_restore", LongType, nullable = false)
    .add("num_removed_files", LongType, nullable = false)
    .add("commits_undone", IntegerType, nullable = false)
    .add("restored_to", StringType, nullable = false)
    .add("restore_instant", StringType)
}
