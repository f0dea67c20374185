package hudilite.spark.analyze

import org.apache.spark.sql.SparkSession
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
  StringRPad,
  ToPrettyString
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{CharType, StructType}

import hudilite.spark.catalog.GeneratedColumns
import hudilite.spark.plan.{
  Clause,
  HudiliteWrite,
  InsertClause,
  MergeSpec,
  RowExpression,
  StoredExpression,
  UpdateClause
}

/** Rule that turns rows with a [[DeleteMarker]] into deletions, and compares the other rows that a write
  * inserts and updates with the CHECK constraints of the table, and the values that it gives to generated
  * columns with their expressions. It adds each condition to the value of one column that the condition
  * reads and the clause sets. An UPDATE that sets no such column cannot make the condition false. The
  * errors, also those of NOT NULL columns, contain the key of the row. */
final case class CheckRows(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case write @ HudiliteWrite(HudiliteTarget(target), query, lowered, _)
        if write.resolved && CheckRows.writesRows(lowered) && !lowered.isChecked =>
      val columns = CheckRows.typed(write.table.output, target.table.schema)
      val spec = DeleteMarker.in(lowered, columns, target.table.config.partitionFields)
      val keys = new WrittenKeys(lowered, columns)
      val required = new RequiredColumns(target.table)
      val checks = target.table.config.checks.map { case (name, condition) =>
        CheckRows.Check(name, condition, resolved(condition, columns), pads = true)
      } ++ GeneratedValues.conditions(target.table, columns).map { case (text, condition) =>
        CheckRows.Check(GeneratedColumns.constraint, text, condition, pads = false)
      }
      lazy val projected = GeneratedValues.projected(query)
      def checked(clauses: Seq[Clause], isMatched: Boolean) = clauses.map { clause =>
        CheckRows.withValues(clause) { values =>
          val key = keys.of(values, isMatched)
          val kept =
            if (checks.isEmpty) values
            else CheckRows.withChecks(columns, values, checks, projected, key)
          kept.map(required.in(_, key))
        }
      }
      write.copy(
        query = required.in(query, keys.ofInserted),
        spec = spec.copy(
          matched = checked(spec.matched, isMatched = true),
          notMatched = checked(spec.notMatched, isMatched = false),
          notMatchedBySource = checked(spec.notMatchedBySource, isMatched = false),
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

  /** @param condition over the columns of the table
    * @param pads      whether values of CHAR columns are padded for it, as SELECT pads them */
  final private[analyze] case class Check(
      name: String,
      text: String,
      condition: Expression,
      pads: Boolean
  )

  /** Returns the columns with the lengths of CHAR and VARCHAR, by which Spark pads literals. */
  private def typed(columns: Seq[Attribute], schema: StructType): Seq[Attribute] = {
    val fields = CharVarcharUtils.replaceCharVarcharWithStringInSchema(schema)
    columns.map { column =>
      fields.find(_.name == column.name).fold(column)(of => column.withMetadata(of.metadata))
    }
  }

  /** Whether a write inserts or updates rows. */
  private def writesRows(spec: MergeSpec): Boolean =
    (spec.matched ++ spec.notMatched ++ spec.notMatchedBySource).exists {
      case _: UpdateClause | _: InsertClause => true
      case _ => false
    }

  /** Returns a clause with other values, if it writes any. */
  private def withValues(clause: Clause)(change: Seq[Expression] => Seq[Expression]): Clause =
    clause match {
      case update: UpdateClause => update.copy(values = change(update.values))
      case insert: InsertClause if !insert.drops =>
        insert.copy(values = change(insert.values))
      case other => other
    }

  /** Returns the values of a clause, which fail where they break a constraint.
    * @param key names and values of the key columns of the row, for the error */
  private def withChecks(
      columns: Seq[Attribute],
      values: Seq[Expression],
      checks: Seq[Check],
      projected: AttributeMap[Expression],
      key: Seq[(String, Expression)]
  ): Seq[Expression] = {
    val set = columns.indices.filterNot(at => MergeCondition.sameValue(columns(at), values(at)))
    checks.foldLeft(values) { (written, check) =>
      val read = columns.indices.filter(at => check.condition.references.contains(columns(at)))
      val holds = over(columns, values, check)
      if (isComputed(holds, projected)) written
      else
        read.find(set.contains).fold(written) { at =>
          val named = key.toMap ++ read.map(at => columns(at).name -> values(at))
          val error = violation(check, named.toSeq, written(at))
          written.updated(at, guarded(written(at), holds, error))
        }
    }
  }

  /** Returns the condition over the values of a row. */
  private def over(columns: Seq[Attribute], values: Seq[Expression], check: Check): Expression = {
    val pads = check.pads && !SQLConf.get.charVarcharAsString
    val compared = columns.zip(values).map { case (column, value) =>
      column -> (CharVarcharUtils.getRawType(column.metadata) match {
        case Some(of: CharType) if pads => StringRPad(value, Literal(of.length))
        case _ => value
      })
    }
    RowExpression.over(check.condition, AttributeMap(compared))
  }

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
    * @param read values of the key columns and of those that the condition reads, by name
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
