package hudilite.spark.bootstrap

import org.apache.spark.sql.catalyst.plans.logical.AppendData
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.CommandExecutionMode
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.StructType

import hudilite.commit.Transaction
import hudilite.spark.bootstrap.BootstrapSource.ListedFile
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.exec.WritePlan
import hudilite.spark.plan.HudiliteWrite
import hudilite.timeline.CommitMetadata

/** Rewrite of source files into base files, through the plan of an INSERT. Runs on the driver and
  * starts the Spark job that writes the files. */
final class SourceRewrite(
    session: SparkSession,
    table: HudiliteTable,
    source: BootstrapSource
) {

  /** Writes the base files and commits nothing.
    * @param columns columns of the source files, without partition columns
    * @param write   open transaction; the files are written under its instant
    * @return metadata for its commit
    * Errors: those of an INSERT. */
  def run(files: Seq[ListedFile], columns: StructType, write: Transaction): CommitMetadata = {
    val rows = SourceRows.of(session, source, files, columns)
      .select(table.schema.fieldNames.toSeq.map(name => col(s"`$name`")): _*)
    val insert = AppendData.byName(
      DataSourceV2Relation.create(table, None, None),
      rows.queryExecution.analyzed
    )
    session.sessionState.executePlan(insert, CommandExecutionMode.SKIP).optimizedPlan match {
      case HudiliteWrite(to: DataSourceV2Relation, query, spec, _) =>
        WritePlan(session, to, table, spec, query, table.snapshot.counts)
          .join(write, BootstrapCommand.operation)
      case other => throw new IllegalStateException(s"INTERNAL: no write but ${other.nodeName}")
    }
  }
}
