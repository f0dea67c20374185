package hudilite.spark.analyze

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.spark.catalog.{SessionTables, WriteOptions}
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.plan.HeldWrite

/** Rule that compares the columns of the rows that a statement writes with those of the table. If
  * the statement asks for it, by WITH SCHEMA EVOLUTION or an option of the writer, the table gets the
  * columns that only the rows have, after its own; otherwise they are an error that says what to
  * type. The commit of the rows adds the columns; nothing changes before it. Types do not change.
  *
  * By name, new columns are those with another name. By position, they are those after the last
  * column of the table, under their own names, as in Delta. */
object AddNewColumns extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case held: HeldWrite if !held.target.isInstanceOf[UnresolvedRelation] => released(held)
    case insert: InsertIntoStatement if insert.query.resolved =>
      HudiliteTarget.unapply(insert.table).fold[LogicalPlan](insert)(compared(insert, _))
    case insert: InsertIntoStatement if insert.query.exists(_.expressions.exists(isDefault)) =>
      HudiliteTarget.unapply(insert.table).filter(of => asks(insert, of)).foreach(of =>
        throw of.unsupported("DEFAULT in an INSERT that adds columns",
          "Leave the column out of the list, or write BY NAME: it gets its default.")
      )
      insert
    case write: V2WriteCommand if write.query.resolved && !write.resolved =>
      HudiliteTarget.unapply(write.table).fold[LogicalPlan](write)(compared(write, _))
  }

  /** Returns the statement of a placeholder, whose target is known. */
  private def released(held: HeldWrite): LogicalPlan =
    (held.write, HudiliteTarget.unapply(held.target)) match {
      case (insert: InsertIntoStatement, Some(target)) =>
        val asked = insert.copy(table = asking(target.relation), query = held.query)
        if (held.query.resolved) compared(asked, target.copy(relation = asking(target.relation)))
        else asked // Spark finds DEFAULT only in its own node
      case (write: V2WriteCommand, Some(target)) if held.query.resolved =>
        val relation = if (held.addsColumns) asking(target.relation) else target.relation
        compared(write.withNewTable(relation).withNewQuery(held.query), target)
      case (_, Some(_)) => held
      case (_, None) if held.addsColumns => throw otherTable(held.target)
      case (write: V2WriteCommand, None) => write.withNewQuery(held.query)
      case (other, None) => other
    }

  private def compared(insert: InsertIntoStatement, target: HudiliteTarget): LogicalPlan = {
    // Spark gives insertInto without a format no options.
    val asking = if (isSql(insert)) clause else s".format('${SessionTables.provider}')$option"
    val found = new NewColumns(target, asking)
    val rows = insert.query.output
    val fresh =
      if (insert.byName) found.byName(rows)
      else if (insert.userSpecifiedCols.nonEmpty) found.listed(insert.userSpecifiedCols, rows)
      else found.byPosition(rows, insert.partitionSpec.collect { case (name, Some(_)) => name })
    EvolvingWrites.settled(insert).copy(table = settled(found.added(fresh, asks(insert, target))))
  }

  private def asks(insert: InsertIntoStatement, target: HudiliteTarget): Boolean =
    EvolvingWrites(insert) || isAsking(target.relation)

  private def isDefault(value: Expression): Boolean = value.exists {
    case UnresolvedAttribute(Seq(name)) => name.equalsIgnoreCase("DEFAULT")
    case _ => false
  }

  private def compared(write: V2WriteCommand, target: HudiliteTarget): LogicalPlan = {
    val relation = write.table match {
      case own: DataSourceV2Relation => own
      case _ => target.relation
    }
    val found = new NewColumns(target, if (isSql(write)) clause else option)
    val rows = write.query.output
    val fresh = if (write.isByName) found.byName(rows) else found.byPosition(rows, Nil)
    val asks = EvolvingWrites(write) || isAsking(relation) ||
      WriteOptions.addsColumns(optionsOf(write))
    EvolvingWrites.settled(write).withNewTable(settled(found.added(fresh, asks)))
  }

  private val clause = "INSERT WITH SCHEMA EVOLUTION"
  private val option = ".option('mergeSchema', 'true')"

  /** Whether a statement is a text, not the write of a DataFrame. */
  private def isSql(statement: LogicalPlan): Boolean = statement.origin.startIndex.nonEmpty

  private def optionsOf(write: V2WriteCommand): Map[String, String] = write match {
    case append: AppendData => append.writeOptions
    case overwrite: OverwriteByExpression => overwrite.writeOptions
    case partitions: OverwritePartitionsDynamic => partitions.writeOptions
    case _ => Map.empty
  }

  private def isAsking(relation: DataSourceV2Relation): Boolean =
    WriteOptions.addsColumns(relation.options.asScala.toMap)

  private def asking(relation: DataSourceV2Relation): DataSourceV2Relation =
    withOptions(relation, WriteOptions.addingColumns(relation.options.asScala.toMap))

  /** Returns a relation without the options about columns: reads of it have none. */
  private def settled(relation: DataSourceV2Relation): DataSourceV2Relation =
    withOptions(relation, WriteOptions.withoutColumns(relation.options.asScala.toMap))

  private def withOptions(relation: DataSourceV2Relation, options: Map[String, String]) =
    relation.copy(options = new CaseInsensitiveStringMap(options.asJava))

  private def otherTable(target: LogicalPlan) = AnalysisErrors.of(
    "HUDILITE_UNSUPPORTED_STATEMENT",
    "statement" -> clause,
    "table" -> target.collectFirst { case of: DataSourceV2Relation => of.name }
      .getOrElse("of another format"),
    "fix" -> "It is not a table of hudilite. Leave WITH SCHEMA EVOLUTION out."
  )
}
