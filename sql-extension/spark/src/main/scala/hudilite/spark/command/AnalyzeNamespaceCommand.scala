package hudilite.spark.command

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIfNeeded
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.{Row, SparkSession}

import hudilite.spark.error.Warnings

/** ANALYZE TABLES: runs ANALYZE TABLE for each table of a database, whatever its format. As in Spark, a
  * table that fails is passed over with a warning.
  * @param database catalog and database */
final case class AnalyzeNamespaceCommand(database: Seq[String], noScan: Boolean)
    extends LeafRunnableCommand {

  override def run(session: SparkSession): Seq[Row] = {
    val prefix = database.map(quoteIfNeeded).mkString(".")
    val end = if (noScan) " NOSCAN" else ""
    val tables = session.sql(s"SHOW TABLES IN $prefix").where("NOT isTemporary").collect()
    tables.map(row => s"$prefix.${quoteIfNeeded(row.getAs[String]("tableName"))}").foreach {
      name =>
        try session.sql(s"ANALYZE TABLE $name COMPUTE STATISTICS$end"): Unit
        catch {
          case NonFatal(e) => Warnings.say(s"ANALYZE TABLES passes over $name: ${e.getMessage}")
        }
    }
    Nil
  }
}
