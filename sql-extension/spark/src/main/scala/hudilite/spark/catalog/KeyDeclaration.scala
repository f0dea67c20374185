package hudilite.spark.catalog

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.connector.catalog.constraints.{Constraint, PrimaryKey}
import org.apache.spark.sql.types.StructType

import hudilite.spark.error.AnalysisErrors

/** Finds the key columns that a statement declares by PRIMARY KEY or by Hudi's table properties. */
private[catalog] object KeyDeclaration {

  /** @param facts facts that the table properties state, see [[PropertyRules.facts]]
    * @return key columns in key order, spelled as in the schema; None when no key is declared
    * Errors: HUDILITE_KEY_COLUMN_INVALID, HUDILITE_PROPERTY_CONFLICT,
    * HUDILITE_UNSUPPORTED_CLAUSE for constraints other than PRIMARY KEY and CHECK. */
  def of(
      table: TableIdentifier,
      schema: StructType,
      facts: Map[String, String],
      constraints: Seq[Constraint]
  ): Option[Seq[String]] = {
    val primary = constraints.collect {
      case key: PrimaryKey => key.columns.toSeq.map(_.fieldNames.toSeq)
    }
    val declared = primary.headOption.map(_.map(keyColumn(table, schema, _)))
    val property = facts.get(PropertyRules.key).map(PropertyRules.names).map { names =>
      names.map(name => keyColumn(table, schema, Seq(name)))
    }
    (declared, property) match {
      case (Some(names), Some(others)) if names != others =>
        throw PropertyRules.conflict(PropertyRules.key, names.mkString(","), others.mkString(","))
      case _ =>
    }
    val columns = declared.orElse(property).filter(_.nonEmpty)
    columns.foreach(checkDistinct(table, _))
    columns
  }

  /** Checks key columns that are given by name.
    * @return key columns in key order, spelled as in the schema
    * Errors: HUDILITE_KEY_COLUMN_INVALID. */
  def columns(table: TableIdentifier, schema: StructType, names: Seq[String]): Seq[String] = {
    val found = names.map(name => keyColumn(table, schema, Seq(name)))
    checkDistinct(table, found)
    found
  }

  private def checkDistinct(table: TableIdentifier, names: Seq[String]): Unit =
    names.diff(names.distinct).headOption.foreach { twice =>
      throw invalid(table, twice, "it occurs twice")
    }

  private def keyColumn(
      table: TableIdentifier,
      schema: StructType,
      reference: Seq[String]
  ): String = {
    val name = TableDeclaration.column(schema, reference).getOrElse {
      throw invalid(table, reference.mkString("."), "the table does not have this column")
    }
    ColumnRules.whyNoKeyType(schema(name).dataType).foreach { reason =>
      throw invalid(table, name, reason)
    }
    name
  }

  private def invalid(table: TableIdentifier, column: String, reason: String) =
    AnalysisErrors.of(
      "HUDILITE_KEY_COLUMN_INVALID",
      "table" -> table.unquotedString,
      "column" -> column,
      "reason" -> reason
    )
}
