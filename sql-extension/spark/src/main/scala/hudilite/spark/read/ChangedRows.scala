package hudilite.spark.read

import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Union}
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.functions._
import org.apache.spark.sql.hudilite.PlanFrame
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.format.{MergeOrder, MetaFields, TableVersion}
import hudilite.view.{ChangedFiles, FileSlice, TableSnapshot}

/** Plan of the rows that commits changed, with their values before and after. It joins by key the
  * file slices that the commits wrote with those that they replaced.
  *
  * A row is changed if its commit time is that of the commit. A row that was only copied to a new
  * file keeps the time of the commit that last changed it. A row that a deletion in a log file has let
  * come back from the base is an insert, whatever its time is.
  * Sources: Delta's table_changes names the kinds; hudi-format §4.3 for commit times. */
object ChangedRows {
  val kind = "_change_type"
  val instant = "_commit_instant"
  val Insert = "insert"
  val Before = "update_preimage"
  val After = "update_postimage"
  val Delete = "delete"

  private val step = "__step"
  private val times = "__times"
  private val file = "__file"

  /** Returns the plan, analyzed.
    * @param name     name of the table, for plans
    * @param columns  columns of the table
    * @param snapshot snapshot after the last change
    * @param changes  slices written and replaced, in the order of the commits
    * @return the table's columns, then `_change_type` and `_commit_instant` */
  def plan(
      spark: SparkSession,
      name: String,
      columns: StructType,
      snapshot: TableSnapshot,
      changes: Seq[ChangedFiles]
  ): LogicalPlan = {
    def relation(of: TableSnapshot, slices: Seq[FileSlice]): DataFrame = {
      val table = new SlicesTable(spark, name, columns, of, slices)
      PlanFrame.of(
        spark,
        DataSourceV2Relation.create(table, None, None, CaseInsensitiveStringMap.empty)
      )
    }
    val steps = changes.zipWithIndex
    def rows(side: ChangedFiles => ChangedFiles.Slices): DataFrame = {
      val bases = steps.flatMap { case (of, n) =>
        side(of).all.filter(_.isOnlyBase).map(slice => (slice, n, of.instants))
      }
      val named = bases.map { case (slice, n, instants) => (slice.fileName, n, instants) }
      val ofBases = relation(snapshot, bases.map(_._1)).join(
        broadcast(spark.createDataFrame(named).toDF(file, step, times)),
        col(MetaFields.FileName) === col(file)
      ).drop(file)
      val withLogs = for {
        (of, n) <- steps
        slices = side(of).all.filterNot(_.isOnlyBase)
        if slices.nonEmpty
        state <- side(of).state
        rows = relation(state, slices)
        ofStep = Seq(lit(n).as(step), array(of.instants.map(lit(_)): _*).as(times))
      } yield rows.select(rows.columns.toSeq.map(name => rows(quoteIdentifier(name))) ++ ofStep: _*)
      if (withLogs.isEmpty) ofBases
      else
        PlanFrame.of(spark, Union((ofBases +: withLogs).map(_.queryExecution.analyzed)))
    }
    val keys = Seq(step, MetaFields.PartitionPath, MetaFields.RecordKey)
    val now = rows(_.after)
    val was = rows(_.before)
    val joined = now.as("now").join(
      was.as("was"),
      keys.map(key => now(key) === was(key)).reduce(_ && _),
      "full_outer"
    )
    val hasTime = array_contains(now(times), now(MetaFields.CommitTime))
    val isChanged =
      if (mayKeepTimes(snapshot, changes)) hasTime || differ(columns, now, was) else hasTime
    // Before the first commit there is no state in which a row could have been.
    val hasState = now(step) > 0 || lit(changes.headOption.exists(_.before.state.nonEmpty))
    val kinds = when(now(step).isNull, array(lit(Delete)))
      .when(was(step).isNull && (hasTime || hasState), array(lit(Insert)))
      .when(isChanged, array(lit(Before), lit(After)))
    val kinded = joined.withColumn(kind, explode(kinds))
    val isOld = kinded(kind).isin(Before, Delete)
    val values = columns.fieldNames.toSeq.map { column =>
      when(isOld, was(quoteIdentifier(column))).otherwise(now(quoteIdentifier(column))).as(column)
    }
    val moment = when(hasTime, now(MetaFields.CommitTime))
      .otherwise(element_at(coalesce(now(times), was(times)), -1)).as(instant)
    kinded.select(values ++ Seq(kinded(kind), moment): _*).queryExecution.analyzed
  }

  /** Whether a changed row may have the commit time that it had: a late partial update, below one with a
    * greater ordering value, gives the row other values. */
  private def mayKeepTimes(snapshot: TableSnapshot, changes: Seq[ChangedFiles]): Boolean =
    MergeOrder.of(snapshot.config) == MergeOrder.EventTime &&
      snapshot.config.version != TableVersion.Six &&
      changes.exists(of => (of.after.all ++ of.before.all).exists(_.logs.nonEmpty))

  /** Whether values differ, of columns whose types can be compared. */
  private def differ(columns: StructType, now: DataFrame, was: DataFrame): Column =
    columns.filter(field => RowOrdering.isOrderable(field.dataType)).map { field =>
      val name = quoteIdentifier(field.name)
      !(now(name) <=> was(name))
    }.foldLeft(lit(false))(_ || _)
}
