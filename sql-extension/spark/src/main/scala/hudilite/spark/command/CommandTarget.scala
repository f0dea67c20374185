package hudilite.spark.command

import org.apache.spark.sql.catalyst.analysis.{ResolvedTable, UnresolvedProcedure}
import org.apache.spark.sql.catalyst.expressions.{Literal, NamedArgumentExpression}
import org.apache.spark.sql.catalyst.plans.logical.{Call, LogicalPlan}
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIfNeeded
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.connector.catalog.{Identifier, TableCatalog}
import org.apache.spark.sql.hudilite.PlanFrame
import org.apache.spark.sql.{Row, SparkSession}

import hudilite.format.IndexKind
import hudilite.spark.catalog.{HudiliteTable, TableFacts}
import hudilite.spark.plan.NamedTable

/** Hudilite table of a command, with the catalog whose procedures the command calls.
  * @param table the table as it was when the statement was analyzed */
final case class CommandTarget(catalog: TableCatalog, ident: Identifier, table: HudiliteTable) {

  /** Runs a procedure of the table's catalog, and returns its rows. It is a plan and no SQL text, in
    * which a session can give backslashes another meaning.
    * @param arguments names and values of the arguments behind the table */
  def call(procedure: String, arguments: (String, Literal)*): Seq[Row] = {
    val all = ("table" -> Literal(name)) +: arguments
    val named = all.map { case (argument, value) => NamedArgumentExpression(argument, value) }
    val found = UnresolvedProcedure(Seq(catalog.name, "system", procedure))
    PlanFrame.of(ClassicSession.active, Call(found, named)).collect().toSeq
  }

  /** Loads the table again. */
  def reloaded: HudiliteTable = catalog.loadTable(ident) match {
    case now: HudiliteTable => now
    case _ => table
  }

  /** Returns the table as the texts of errors name it. */
  def named(session: SparkSession): NamedTable = {
    val isCurrent = session.catalog.currentCatalog() == catalog.name
    val prefix = if (isCurrent) "" else s"${quoteIfNeeded(catalog.name)}."
    NamedTable(
      prefix + name,
      if (isCurrent) "CALL " else s"CALL ${prefix}system.",
      table.config.recordKeyFields,
      table.config.partitionFields,
      buckets.map(_.numBuckets),
      buckets.toSeq.flatMap(_.hashFields),
      TableFacts.properties(table.config).filter { case (fact, _) => CommandTarget.facts(fact) }
        .filterNot(_ == CommandTarget.copyOnWrite)
    )
  }

  /** Name in SQL, in the catalog of the table. */
  def name: String = (ident.namespace.toSeq :+ ident.name).map(quoteIfNeeded).mkString(".")

  private def buckets: Option[IndexKind.Bucket] = table.config.index match {
    case bucket: IndexKind.Bucket => Some(bucket)
    case IndexKind.Bloom => None
  }

  override def toString: String = name
}

object CommandTarget {
  private val facts = Set("type", "preCombineField", "hudilite.index.global")
  private val copyOnWrite = "type" -> "cow"

  /** Returns the target of a statement, if its table is a hudilite table. */
  def unapply(plan: LogicalPlan): Option[CommandTarget] =
    plan match {
      case ResolvedTable(catalog, ident, table: HudiliteTable, _) =>
        Some(new CommandTarget(catalog, ident, table))
      case _ => None
    }
}
