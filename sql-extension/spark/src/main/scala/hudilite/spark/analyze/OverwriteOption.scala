package hudilite.spark.analyze

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.plans.logical.{
  LogicalPlan,
  OverwriteByExpression,
  OverwritePartitionsDynamic,
  V2WriteCommand
}
import org.apache.spark.sql.internal.SQLConf

import hudilite.spark.catalog.{PropertyRules, WriteOperation, WriteOptions}
import hudilite.spark.plan.EvolvingWrites
import hudilite.spark.read.PeerOptions

/** Extractor of an overwrite of a DataFrame with Delta's options `replaceWhere`,
  * `partitionOverwriteMode` or `overwriteSchema`: returns the overwrite that they mean. */
private[analyze] object OverwriteOption {
  private val ofRows = "replaceWhere"
  private val mode = "partitionOverwriteMode"
  private val schema = "overwriteSchema"

  /** Errors: PARSE_SYNTAX_ERROR for a text that is no condition; HUDILITE_PROPERTY_UNSUPPORTED for
    * another mode, for one that contradicts the overwrite, and for new columns. */
  def unapply(plan: LogicalPlan): Option[LogicalPlan] = plan match {
    case WriteTo(write: OverwriteByExpression, target) if write.deleteExpr == Literal.TrueLiteral =>
      checkColumns(write, target)
      (conditionOf(write), modeOf(write)) match {
        case (Some(condition), None) => Some(where(write, condition))
        case (Some(_), Some(_)) => throw contradicting(write)
        case (None, Some("dynamic")) => Some(dynamic(write))
        case (None, Some(_)) => Some(write.copy(writeOptions = others(write)))
        case (None, None) =>
          checkSession(write, target)
          keepingColumns(write)
      }
    case WriteTo(write: OverwritePartitionsDynamic, target) =>
      checkColumns(write, target)
      (conditionOf(write), modeOf(write)) match {
        case (Some(condition), None) => Some(where(write, condition))
        case (None, Some("dynamic")) => Some(dynamic(write))
        case (_, Some(_)) => throw contradicting(write)
        case (None, None) => keepingColumns(write)
      }
    case _ => None
  }

  /** Returns the options of a DataFrame writer with mode overwrite: without an operation, a condition and
    * a mode of its own it has that of the session.
    * Source: Spark's `spark.sql.sources.partitionOverwriteMode`, as in writes of files and of Delta. */
  def ofSession(options: Map[String, String]): Map[String, String] = {
    val isOpen =
      Seq(ofRows, mode, WriteOperation.option).forall(WriteOptions.valueOf(options, _).isEmpty)
    val ofSession = SQLConf.get.getConfString(SQLConf.PARTITION_OVERWRITE_MODE.key)
    if (isOpen && ofSession.equalsIgnoreCase("dynamic")) options + (mode -> "dynamic") else options
  }

  /** Returns the options of an overwrite that creates its table, without those that a table without
    * rows fulfils in any case. */
  def ofNewTable(options: Map[String, String]): Map[String, String] =
    options.filterNot { case (name, _) => Seq(mode, schema).exists(_.equalsIgnoreCase(name)) }

  private def where(write: V2WriteCommand, condition: Expression): LogicalPlan =
    likewise(write) {
      if (write.isByName)
        OverwriteByExpression.byName(write.table, write.query, condition, others(write))
      else OverwriteByExpression.byPosition(write.table, write.query, condition, others(write))
    }

  private def dynamic(write: V2WriteCommand): LogicalPlan =
    likewise(write) {
      if (write.isByName)
        OverwritePartitionsDynamic.byName(write.table, write.query, others(write))
      else OverwritePartitionsDynamic.byPosition(write.table, write.query, others(write))
    }

  /** Returns an overwrite with the mark WITH SCHEMA EVOLUTION of another one, if that has it. */
  private def likewise(write: V2WriteCommand)(meant: LogicalPlan): LogicalPlan =
    if (EvolvingWrites(write)) EvolvingWrites.marked(meant) else meant

  private def keepingColumns(write: V2WriteCommand): Option[LogicalPlan] =
    value(write, schema).map { _ =>
      write match {
        case all: OverwriteByExpression => all.copy(writeOptions = others(write))
        case _ => dynamic(write)
      }
    }

  private def conditionOf(write: V2WriteCommand): Option[Expression] =
    value(write, ofRows).map(CatalystSqlParser.parseExpression)

  private def modeOf(write: V2WriteCommand): Option[String] =
    value(write, mode).map(_.trim.toLowerCase(Locale.ROOT)).map {
      case known @ ("dynamic" | "static") => known
      case other =>
        throw PropertyRules.unsupported(mode, s"Write dynamic or static instead of '$other'.")
    }

  private def checkColumns(write: V2WriteCommand, target: HudiliteTarget): Unit =
    value(write, schema).filterNot(_.trim.equalsIgnoreCase("false")).foreach { text =>
      throw PropertyRules.unsupported(schema,
        PeerOptions.ofWrite(schema, text, target.table.name).mkString)
    }

  /** Refuses stock Hudi's session settings by which an overwrite keeps the partitions without new rows.
    * Errors: HUDILITE_PROPERTY_UNSUPPORTED. */
  private def checkSession(write: V2WriteCommand, target: HudiliteTarget): Unit =
    if (target.partitionColumns.nonEmpty && value(write, WriteOperation.option).isEmpty)
      keeping.foreach { case (name, text) =>
        if (SQLConf.get.getConfString(name, "").trim.equalsIgnoreCase(text))
          throw PropertyRules.unsupported(
            name,
            s"Run RESET $name. To replace only the partitions to which new rows belong, run " +
              s"SET ${SQLConf.PARTITION_OVERWRITE_MODE.key} = dynamic."
          )
      }

  private val keeping = Seq(
    "hoodie.datasource.overwrite.mode" -> "dynamic",
    WriteOperation.option -> WriteOperation.InsertOverwrite.text
  )

  private def contradicting(write: V2WriteCommand) = PropertyRules.unsupported(mode,
    if (value(write, ofRows).nonEmpty) s"Remove it, or remove $ofRows."
    else "The writer overwrites partitions. Remove it.")

  private def value(write: V2WriteCommand, key: String): Option[String] =
    WriteTo.options(write).collectFirst { case (name, text) if name.equalsIgnoreCase(key) => text }

  private def others(write: V2WriteCommand): Map[String, String] =
    WriteTo.options(write).filterNot { case (name, _) =>
      Seq(ofRows, mode, schema).exists(_.equalsIgnoreCase(name))
    }
}
