package hudilite.spark.read

import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions._
import org.apache.spark.sql.hudilite.PlanFrame
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.format.{MergeOrder, MetaFields, TableConfig, TableVersion}
import hudilite.view.{ChangesBetween, TableSnapshot}

/** Plan of the rows that commits changed, with their values before and after. One scan reads the file
  * slices that the commits wrote and those that they replaced; a window puts the rows of a key beside
  * each other. The number of operators does not depend on that of the commits.
  *
  * A row is changed if its commit time is that of the commit. A row that was only copied to a new
  * file keeps the time of the commit that last changed it. A row that has none before the commit is an
  * insert, whatever its time is: a deletion in a log file has let it come back from the base, or the
  * rows of the earliest state are told.
  * Sources: Delta's table_changes names the kinds; hudi-format §4.3 for commit times. */
object ChangedRows {
  import ChangesTable.{isAfter, pair, task, times}

  val kind = "_change_type"
  val instant = "_commit_instant"
  val Insert = "insert"
  val Before = "update_preimage"
  val After = "update_postimage"
  val Delete = "delete"

  private val ofKey = Window.partitionBy(task.name, pair.name, MetaFields.RecordKey)

  /** Returns the plan, analyzed.
    * @param name     name of the table, for plans
    * @param columns  columns of the table
    * @param snapshot snapshot after the last change
    * @return the table's columns, then `_change_type` and `_commit_instant` */
  def plan(
      spark: SparkSession,
      name: String,
      columns: StructType,
      snapshot: TableSnapshot,
      changes: ChangesBetween
  ): LogicalPlan = {
    val compared = ComparedSlices.of(snapshot.config, changes.steps)
    val table = new ChangesTable(spark, name, columns, snapshot, changes.instants, compared)
    val rows = PlanFrame.of(
      spark,
      DataSourceV2Relation.create(table, None, None, CaseInsensitiveStringMap.empty)
    )
    val values = columns.fieldNames.toSeq.map(name => col(quoteIdentifier(name)))
    val kinded =
      if (mayKeepTimes(snapshot.config, compared)) kindOf(isChanged || differs(columns))
      else kindOf(isChanged)
    rows
      .select(values ++ Seq(kinded.as(kind), moment.as(instant)): _*)
      .where(col(kind).isNotNull)
      .queryExecution.analyzed
  }

  /** Kind of a row's change; null if it is not changed.
    * @param isUpdated whether a row that is there before and after is changed */
  private def kindOf(isUpdated: Column): Column = {
    val now = col(isAfter.name)
    when(now && !hasBefore, lit(Insert))
      .when(!now && !hasAfter, lit(Delete))
      .when(isUpdated, when(now, lit(After)).otherwise(lit(Before)))
  }

  private def hasBefore: Column = max(!col(isAfter.name)).over(ofKey)

  private def hasAfter: Column = max(col(isAfter.name)).over(ofKey)

  private def isChanged: Column = ownTime.isNotNull

  /** Commit time of the row after the step if that is the time of one of the step's commits. */
  private def ownTime: Column = {
    val isOwn = expr(s"find_in_set(${MetaFields.CommitTime}, ${times.name}) > 0")
    max(when(col(isAfter.name) && isOwn, col(MetaFields.CommitTime))).over(ofKey)
  }

  /** Commit time of the change, else the last instant of the step. */
  private def moment: Column = coalesce(ownTime, substring_index(col(times.name), ",", -1))

  /** Whether a changed row may have the commit time that it had: a late partial update, below one with a
    * greater ordering value, gives the row other values. */
  private def mayKeepTimes(config: TableConfig, compared: Seq[ComparedSlices]): Boolean =
    MergeOrder.of(config) == MergeOrder.EventTime && config.version != TableVersion.Six &&
      compared.exists(_.slices.exists(_.slice.logs.nonEmpty))

  /** Whether the values before and after differ, of columns whose types can be compared. */
  private def differs(columns: StructType): Column = {
    val comparable = columns.filter(field => RowOrdering.isOrderable(field.dataType))
    val values = struct(comparable.map(field => col(quoteIdentifier(field.name))): _*)
    val inOrder = ofKey.orderBy(isAfter.name)
    !(values <=> coalesce(lag(values, 1).over(inOrder), lead(values, 1).over(inOrder)))
  }
}
