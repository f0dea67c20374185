package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions.{
  And,
  EqualNullSafe,
  EqualTo,
  Expression,
  Literal,
  Not,
  Or
}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

import hudilite.spark.catalog.WriteOperation
import hudilite.spark.plan.{HudiliteWrite, Replacement}

/** Rule that lowers INSERT OVERWRITE, REPLACE WHERE and their DataFrame forms to an insert that
  * first hides the file groups of whole partitions. If a condition does not select whole
  * partitions, its rows are deleted one by one, see [[ReplacedRows]]. */
object LowerOverwrite extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case OverwriteOption(meant) => meant
    case WriteTo(overwrite: OverwriteByExpression, target)
        if overwrite.resolved && !target.table.isOpen =>
      checkOperation(target, overwrite.writeOptions, wholes)
      val query = new GeneratedValues(target).in(overwrite.query)
      chosen(target, overwrite.deleteExpr) match {
        case Some(replaced) => lower(target, query, overwrite.writeOptions, replaced)
        case None =>
          target.checkWritable(overwrite.writeOptions)
          ReplacedRows.lower(target, query, overwrite.deleteExpr)
      }
    case WriteTo(overwrite: OverwritePartitionsDynamic, target)
        if overwrite.resolved && !target.table.isOpen =>
      checkOperation(target, overwrite.writeOptions, Set(WriteOperation.InsertOverwrite))
      val isPartitioned = target.partitionColumns.nonEmpty
      val query = new GeneratedValues(target).in(overwrite.query)
      lower(target, query, overwrite.writeOptions,
        if (isPartitioned) Replacement.Written else Replacement.all)
  }

  /** Operations of stock Hudi that mode overwrite turns into a replacement of all rows. */
  private val wholes = Set[WriteOperation](
    WriteOperation.Upsert,
    WriteOperation.Insert,
    WriteOperation.BulkInsert,
    WriteOperation.InsertOverwriteTable
  )

  private def checkOperation(
      target: HudiliteTarget,
      options: Map[String, String],
      fitting: Set[WriteOperation]
  ): Unit =
    WriteOperation.of(options).filterNot(fitting.contains).foreach { other =>
      throw target.unsupported(s"An overwrite with operation ${other.text}",
        s"Write ${fitting.map(_.text).toSeq.sorted.mkString(" or ")}, or remove the option.")
    }

  private def lower(
      target: HudiliteTarget,
      query: LogicalPlan,
      options: Map[String, String],
      replaced: Replacement
  ): HudiliteWrite = {
    target.checkWritable(options)
    val write = LowerInsert.lower(target, query, InsertDuplicates.Error, bars(target, replaced),
      combines = upserts(target, options))
    val operation =
      if (replaced == Replacement.all) "INSERT_OVERWRITE_TABLE" else "INSERT_OVERWRITE"
    write.copy(spec =
      write.spec.copy(
        operation = operation,
        matched = Nil,
        matchIsError = true,
        newer = SourceOrder.none.newer,
        replaces = Some(replaced)
      )
    )
  }

  /** Whether of rows with one key the latest is kept. An upsert is what `save(path)` is by default, whose
    * target has no name. */
  private def upserts(target: HudiliteTarget, options: Map[String, String]): Boolean =
    WriteOperation.of(options)
      .fold(target.relation.identifier.isEmpty && target.hasKeyColumns)(_ == WriteOperation.Upsert)

  /** Predicate of the target rows that are not replaced and so block inserts of their keys. With
    * dynamic overwrite it is true for every row, as the replaced partitions are not known yet. */
  private def bars(target: HudiliteTarget, replaced: Replacement): Option[Expression] =
    replaced match {
      case Replacement.Written => Some(Literal.TrueLiteral)
      case Replacement.Where(condition) => Some(Not(EqualNullSafe(condition, Literal.TrueLiteral)))
      case Replacement.Folders(choices) =>
        val named = choices.map(
          _.map { case (level, folder) =>
            EqualTo(target.folder(level), Literal(folder))
          }.reduceOption[Expression](And(_, _))
        )
        if (named.contains(None)) None
        else named.flatten.reduceOption[Expression](Or(_, _)).map(Not(_))
    }

  /** Returns the whole partitions that a condition selects; None if it selects rows. */
  private def chosen(target: HudiliteTarget, condition: Expression): Option[Replacement] =
    condition match {
      case Literal.TrueLiteral => Some(Replacement.all)
      case _ =>
        PartitionFolders
          .ofCondition(target, condition)
          .map(levels => Replacement.Folders(Seq(levels)))
          .orElse(PartitionChoice.of(target, condition))
    }
}
