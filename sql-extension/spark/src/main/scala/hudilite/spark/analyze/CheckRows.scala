package hudilite.spark.analyze

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.NamedRelation
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeMap,
  CheckInvariant,
  CreateMap,
  Expression,
  If,
  KnownNotNull,
  Literal,
  RaiseError
}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.{Clause, HudiliteWrite, InsertClause, MergeSpec, UpdateClause}

/** Rule that compares the rows that a write inserts and updates with the CHECK constraints of the table.
  * It adds each condition to the value of one column that the condition reads and the clause sets. An
  * UPDATE that sets no such column cannot make the condition false. */
final case class CheckRows(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case write @ HudiliteWrite(CheckRows.Checks(texts), _, spec, _)
        if write.resolved && texts.nonEmpty && CheckRows.writesRows(spec) &&
          !spec.exists(_.isInstanceOf[CheckInvariant]) =>
      val columns = write.table.output
      val checks = texts.map { case (name, condition) =>
        CheckRows.Check(name, condition, resolved(condition, columns))
      }
      def checked(clauses: Seq[Clause]) =
        clauses.map(CheckRows.withChecks(columns, _, checks))
      write.copy(spec =
        spec.copy(
          matched = checked(spec.matched),
          notMatched = checked(spec.notMatched),
          notMatchedBySource = checked(spec.notMatchedBySource)
        )
      )
  }

  /** Resolves a condition over the columns of the table. */
  private def resolved(condition: String, columns: Seq[Attribute]): Expression = {
    val state = CheckHudilite.classic(session).sessionState
    val parsed = state.sqlParser.parseExpression(condition)
    val plan = Project(Seq(Alias(parsed, "condition")()), LocalRelation(columns))
    val analyzer = state.analyzer
    val analyzed = analyzer.execute(plan)
    analyzer.checkAnalysis(analyzed)
    analyzed.expressions.collectFirst { case Alias(found, _) => found }
      .getOrElse(throw new IllegalStateException(s"INTERNAL: $condition is no column of a query"))
  }
}

object CheckRows {

  /** @param condition over the columns of the table */
  final private[analyze] case class Check(name: String, text: String, condition: Expression)

  /** Extractor of the CHECK constraints of a table. */
  private[analyze] object Checks {
    def unapply(relation: NamedRelation): Option[Seq[(String, String)]] = relation match {
      case of: DataSourceV2Relation =>
        Option(of.table).collect { case table: HudiliteTable => table.config.checks }
      case _ => None
    }
  }

  /** Whether a write inserts or updates rows. */
  private def writesRows(spec: MergeSpec): Boolean =
    (spec.matched ++ spec.notMatched ++ spec.notMatchedBySource).exists {
      case _: UpdateClause | _: InsertClause => true
      case _ => false
    }

  private def withChecks(columns: Seq[Attribute], clause: Clause, checks: Seq[Check]): Clause = {
    def checked(values: Seq[Expression]) = {
      val set = columns.indices.filterNot(at => MergeCondition.sameValue(columns(at), values(at)))
      checks.foldLeft(values) { (written, check) =>
        val read = columns.indices.filter(at => check.condition.references.contains(columns(at)))
        read.find(set.contains).fold(written) { at =>
          written.updated(at, guarded(written(at), invariant(columns, values, check, read), check))
        }
      }
    }
    clause match {
      case update: UpdateClause => update.copy(values = checked(update.values))
      case insert: InsertClause => insert.copy(values = checked(insert.values))
      case other => other
    }
  }

  /** Returns the expression that is true for a row that the constraint allows, and fails for others.
    * @param values of the row
    * @param read   ordinals of the columns that the condition reads */
  private def invariant(
      columns: Seq[Attribute],
      values: Seq[Expression],
      check: Check,
      read: Seq[Int]
  ): Expression = {
    val value = AttributeMap(columns.zip(values))
    CheckInvariant(
      check.condition.transformUp { case column: Attribute => value.getOrElse(column, column) },
      read.map(at => columns(at).name -> values(at)),
      check.name,
      check.text
    )
  }

  /** Returns the value, once the constraint holds. The other branch is never evaluated; it is not
    * NULL, as the optimizer removes a condition between equal branches. */
  private def guarded(value: Expression, holds: Expression, check: Check): Expression = {
    val error = RaiseError(
      Literal("USER_RAISED_EXCEPTION"),
      CreateMap(Seq(Literal("errorMessage"), Literal(check.name))),
      value.dataType
    )
    val kept = If(holds, value, error)
    if (value.nullable) kept else KnownNotNull(kept)
  }
}
