package hudilite.spark.analyze

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.NamedRelation
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeMap,
  Concat,
  CreateMap,
  EqualNullSafe,
  Expression,
  If,
  KnownNotNull,
  Literal,
  RaiseError,
  ToPrettyString
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf

import hudilite.spark.catalog.{GeneratedColumns, HudiliteTable}
import hudilite.spark.plan.{
  Clause,
  HudiliteWrite,
  InsertClause,
  MergeSpec,
  RowExpression,
  StoredExpression,
  UpdateClause
}

/** Rule that compares the rows that a write inserts and updates with the CHECK constraints of the
  * table, and the values that it gives to generated columns with their expressions. It adds each
  * condition to the value of one column that the condition reads and the clause sets. An UPDATE that
  * sets no such column cannot make the condition false. */
final case class CheckRows(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case write @ HudiliteWrite(CheckRows.Checked(table), query, spec, _)
        if write.resolved && CheckRows.writesRows(spec) && !spec.isChecked =>
      val columns = write.table.output
      val checks = table.config.checks.map { case (name, condition) =>
        CheckRows.Check(name, condition, resolved(condition, columns))
      } ++ GeneratedValues.conditions(table, columns).map { case (text, condition) =>
        CheckRows.Check(GeneratedColumns.constraint, text, condition)
      }
      val projected = GeneratedValues.projected(query)
      def checked(clauses: Seq[Clause]) =
        clauses.map(CheckRows.withChecks(columns, _, checks, projected))
      write.copy(spec =
        spec.copy(
          matched = checked(spec.matched),
          notMatched = checked(spec.notMatched),
          notMatchedBySource = checked(spec.notMatchedBySource),
          isChecked = true
        )
      )
  }

  /** Resolves a condition over the columns of the table. */
  private def resolved(condition: String, columns: Seq[Attribute]): Expression = {
    val state = CheckHudilite.classic(session).sessionState
    RowExpression(StoredExpression.parsed(condition), columns, state.analyzer)
      .getOrElse(throw new IllegalStateException(s"INTERNAL: $condition is no column of a query"))
  }
}

object CheckRows {

  /** @param condition over the columns of the table */
  final private[analyze] case class Check(name: String, text: String, condition: Expression)

  /** Extractor of a table whose rows fulfil conditions. */
  private[analyze] object Checked {
    def unapply(relation: NamedRelation): Option[HudiliteTable] = relation match {
      case of: DataSourceV2Relation =>
        Option(of.table).collect {
          case table: HudiliteTable if hasConditions(table) => table
        }
      case _ => None
    }
  }

  private def hasConditions(table: HudiliteTable): Boolean =
    table.config.checks.nonEmpty || table.schema.exists(GeneratedColumns.isGenerated)

  /** Whether a write inserts or updates rows. */
  private def writesRows(spec: MergeSpec): Boolean =
    (spec.matched ++ spec.notMatched ++ spec.notMatchedBySource).exists {
      case _: UpdateClause | _: InsertClause => true
      case _ => false
    }

  private def withChecks(
      columns: Seq[Attribute],
      clause: Clause,
      checks: Seq[Check],
      projected: AttributeMap[Expression]
  ): Clause = {
    def checked(values: Seq[Expression]) = {
      val set = columns.indices.filterNot(at => MergeCondition.sameValue(columns(at), values(at)))
      checks.foldLeft(values) { (written, check) =>
        val read = columns.indices.filter(at => check.condition.references.contains(columns(at)))
        val holds = over(columns, values, check)
        if (isComputed(holds, projected)) written
        else
          read.find(set.contains).fold(written) { at =>
            val named = read.map(at => columns(at).name -> values(at))
            written.updated(at, guarded(written(at), holds, violation(check, named, written(at))))
          }
      }
    }
    clause match {
      case update: UpdateClause => update.copy(values = checked(update.values))
      case insert: InsertClause => insert.copy(values = checked(insert.values))
      case other => other
    }
  }

  /** Returns the condition over the values of a row. */
  private def over(columns: Seq[Attribute], values: Seq[Expression], check: Check): Expression =
    RowExpression.over(check.condition, AttributeMap(columns.zip(values)))

  /** Whether a condition compares a computed value of a generated column with itself.
    * @param projected values of the columns of the source that a projection computes */
  private def isComputed(holds: Expression, projected: AttributeMap[Expression]): Boolean =
    RowExpression.over(holds, projected) match {
      case EqualNullSafe(value, expected) => value.semanticEquals(expected)
      case _ => false
    }

  /** Returns the value, unless the condition is false for the row. */
  private def guarded(value: Expression, holds: Expression, error: Expression): Expression = {
    val kept = If(EqualNullSafe(holds, Literal.FalseLiteral), error, value)
    if (value.nullable) kept else KnownNotNull(kept)
  }

  /** Returns Spark's error for a row that breaks a constraint. Spark's own CheckInvariant has the
    * text of the condition in the code that it generates, which does not compile for all texts.
    * @param read values of the columns that the condition reads, by name
    * @param in   the value in whose place the error is raised */
  private def violation(
      check: Check,
      read: Seq[(String, Expression)],
      in: Expression
  ): Expression = {
    val zone = Some(SQLConf.get.sessionLocalTimeZone)
    val lines = read.sortBy(_._1).zipWithIndex.flatMap { case ((name, value), at) =>
      Seq(Literal(s"${if (at > 0) "\n" else ""} - $name : "), ToPrettyString(value, zone))
    }
    val parameters = Seq(
      "constraintName" -> Literal(check.name),
      "expression" -> Literal(check.text),
      "values" -> Concat(lines)
    ).flatMap { case (name, value) => Seq(Literal(name), value) }
    RaiseError(Literal("CHECK_CONSTRAINT_VIOLATION"), CreateMap(parameters), in.dataType)
  }
}
