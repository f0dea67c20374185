package hudilite.spark.analyze

import hudilite.error.HudiliteException
import hudilite.format.IndexKind
import hudilite.spark.catalog.HudiliteTable
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** The table that a statement writes.
  *
  * @param relation with the table's own columns only, whatever meta columns the statement names */
private[analyze] final case class HudiliteTarget(
    relation: DataSourceV2Relation,
    table: HudiliteTable
) {
  val columns: Seq[AttributeReference] = relation.output

  val keyColumns: Seq[Attribute] = table.config.recordKeyFields.map(column)

  val partitionColumns: Seq[Attribute] = table.config.partitionFields.map(column)

  def isKey(attribute: Attribute): Boolean = keyColumns.exists(_.exprId == attribute.exprId)

  /** Errors: HUDILITE_UNSUPPORTED_TABLE for a table without buckets. */
  def checkWritable(): Unit = table.config.index match {
    case IndexKind.Bucket(_, _) =>
    case IndexKind.Bloom =>
      throw HudiliteException(
        "HUDILITE_UNSUPPORTED_TABLE",
        "path" -> table.basePath.toString,
        "fact" -> "index",
        "value" -> "BLOOM",
        "fix" -> "Write it with stock Hudi; only tables created WITH BUCKETS are written here."
      )
  }

  def unsupported(clause: String, fix: String): HudiliteException = HudiliteException(
    "HUDILITE_UNSUPPORTED_CLAUSE",
    "clause" -> clause,
    "table" -> table.name,
    "fix" -> fix
  )

  private def column(name: String): AttributeReference =
    columns.find(_.name == name).getOrElse {
      throw HudiliteException(
        "HUDILITE_CORRUPT_TIMELINE",
        "path" -> table.basePath.toString,
        "reason" -> s"the schema has no column $name, which hoodie.properties names",
        "fix" -> "Restore the schema."
      )
    }
}

private[analyze] object HudiliteTarget {

  /** @return the table behind a relation and its aliases, if it is one of ours */
  def unapply(plan: LogicalPlan): Option[HudiliteTarget] = plan match {
    case SubqueryAlias(_, child) => unapply(child)
    case relation: DataSourceV2Relation =>
      Option(relation.table).collect { case table: HudiliteTable =>
        HudiliteTarget(relation.copy(output = relation.output.take(table.schema.length)), table)
      }
    case _ => None
  }
}
