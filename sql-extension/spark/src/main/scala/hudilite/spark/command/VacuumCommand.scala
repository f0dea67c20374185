package hudilite.spark.command

import org.apache.spark.sql.catalyst.expressions.{Attribute, Literal}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Row, SparkSession}

import hudilite.service.Retention
import hudilite.spark.error.AnalysisErrors

/** VACUUM: deletes the files that no state of the last hours and not the latest one needs, by the
  * procedure `clean`. Other than `clean` by default, it keeps no number of commits beside.
  * @param hours  hours for which no state loses a file; None: the least that are allowed
  * @param dryRun whether it only counts the files */
final case class VacuumCommand(target: CommandTarget, hours: Option[Int], dryRun: Boolean)
    extends LeafRunnableCommand {

  override val output: Seq[Attribute] = DataTypeUtils.toAttributes(VacuumCommand.schema)

  /** Errors: HUDILITE_UNSUPPORTED_CLAUSE for so few hours that a running query may outlive them; those
    * of the procedure. */
  override def run(session: SparkSession): Seq[Row] = {
    val kept = hours.getOrElse(Retention.leastHours)
    if (kept < Retention.leastHours) throw tooFew(session, kept)
    val arguments = Seq("retain_commits" -> Literal(1), "retain_hours" -> Literal(kept),
      "dry_run" -> Literal(dryRun))
    target.call("clean", arguments: _*).map { done =>
      Row.fromSeq(target.table.basePath.toString +: VacuumCommand.columns.map(done.getAs[Any](_)))
    }
  }

  private def tooFew(session: SparkSession, kept: Int) = {
    val call = target.named(session).called("clean", "retain_commits => 1",
      s"retain_hours => $kept", s"dry_run => $dryRun", "allow_short_retention => true")
    AnalysisErrors.of(
      "HUDILITE_UNSUPPORTED_CLAUSE",
      "clause" -> s"RETAIN $kept HOURS",
      "table" -> target.table.name,
      "fix" -> (s"A query that began earlier would lose its files, so ${Retention.leastHours} hours " +
        s"are the least. If no such query is running, write: $call")
    )
  }
}

object VacuumCommand {
  private val schema: StructType = new StructType()
    .add("path", StringType, nullable = false)
    .add("clean_instant", StringType)
    .add("earliest_retained", StringType)
    .add("files_deleted", IntegerType, nullable = false)
    .add("bytes_deleted", LongType, nullable = false)
    .add("files_kept_by_savepoints", IntegerType, nullable = false)
    .add("dry_run", BooleanType, nullable = false)

  /** Columns that are those of the procedure. */
  private val columns = schema.fieldNames.toSeq.drop(1)
}
