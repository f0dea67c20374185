package hudilite.spark.analyze

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.{
  And,
  Attribute,
  Cast,
  EqualNullSafe,
  Expression,
  Literal
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.PartitionPath
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.plan.KeyText

/** Folder names that a PARTITION clause selects. Null and the empty text have the same folder. */
private[analyze] object PartitionFolders {

  /** @param spec values as written in the clause; null is NULL
    * @return folder names by their level in the path, from 0
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE for a column whose folders are dates, NON_PARTITION_COLUMN,
    * Spark's own for a text that is no value of the column's type. */
  def ofSpec(target: HudiliteTarget, spec: Map[String, String]): Map[Int, String] =
    spec.map { case (name, text) =>
      val level = target.partitionColumns.indexWhere(c => SQLConf.get.resolver(c.name, name))
      if (level < 0) throw AnalysisErrors.spark("NON_PARTITION_COLUMN", "columnName" -> s"`$name`")
      val value = Cast(
        Literal(text),
        target.partitionColumns(level).dataType,
        Some(SQLConf.get.sessionLocalTimeZone),
        ansiEnabled = true
      )
      level -> folder(target, level, textOf(target, level, value))
    }

  /** @param condition predicate; Spark turns a PARTITION clause into `column <=> value AND ...`
    * @return folder names by level; None for any other predicate, and for a value that has its folder
    *         in common with another one */
  def ofCondition(target: HudiliteTarget, condition: Expression): Option[Map[Int, String]] = {
    val levels = conjuncts(condition).map {
      case Literal.TrueLiteral => Some(None)
      case EqualNullSafe(column: Attribute, value) if value.foldable =>
        val level = target.partitionColumns.indexWhere(_.name == column.name)
        val text = if (level < 0) "" else textOf(target, level, value)
        Option.when(text.nonEmpty && text != PartitionPath.DefaultValue)(
          Some(level -> folder(target, level, text))
        )
      case _ => None
    }
    val chosen = levels.flatten.flatten
    Option.when(levels.forall(_.nonEmpty) && chosen.map(_._1).distinct.size == chosen.size)(
      chosen.toMap
    )
  }

  private def conjuncts(condition: Expression): Seq[Expression] = condition match {
    case And(left, right) => conjuncts(left) ++ conjuncts(right)
    case other => Seq(other)
  }

  /** A folder that is a date has rows of other values, too. */
  private def dated(target: HudiliteTarget, name: String): AnalysisException =
    target.unsupported(
      s"PARTITION ($name)",
      s"A folder of column $name is a date, which other values have, too. Use DELETE FROM ... WHERE, " +
        "then INSERT INTO if rows are to be replaced."
    )

  /** Returns the text of a value in the name of a folder, "" for null. */
  private def textOf(target: HudiliteTarget, level: Int, value: Expression): String = {
    val column = target.partitionColumns(level)
    if (!target.table.config.holdsValue(column.name)) throw dated(target, column.name)
    val typed = Cast(value, column.dataType, Some(SQLConf.get.sessionLocalTimeZone)).eval()
    KeyText.expression(Literal.create(typed, column.dataType)).eval() match {
      case found: UTF8String => found.toString
      case _ => ""
    }
  }

  private def folder(target: HudiliteTarget, level: Int, text: String): String = {
    val config = target.table.config
    PartitionPath.encode(Seq(config.partitionFields(level)), Seq(text), config.hiveStyle,
      config.urlEncode)
  }
}
