package hudilite.spark.catalog

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, RowOrdering}
import org.apache.spark.sql.catalyst.trees.TreePattern.CURRENT_LIKE
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.{
  CharVarcharUtils,
  GeneratedColumn,
  GeneratedColumnAnalyzer,
  quoteIfNeeded
}
import org.apache.spark.sql.connector.catalog.constraints.Constraint
import org.apache.spark.sql.connector.catalog.{Column, Identifier, TableCatalog}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{MetadataBuilder, StructField, StructType}

import hudilite.spark.error.AnalysisErrors
import hudilite.spark.plan.{RowExpression, StoredExpression}

/** Generated columns of a table: in each row, such a column has the value of an expression over
  * other columns. The expression is in the metadata of the column, as Spark has it there, and so in
  * the columns of hoodie.properties. */
private[spark] object GeneratedColumns {

  /** Name of a generated column in errors about its values, as in Delta. */
  val constraint = "Generated Column"

  def isGenerated(field: StructField): Boolean = GeneratedColumn.isGeneratedColumn(field)

  /** Returns the names of the generated columns that rows do not have. */
  def absent(schema: StructType, rows: Seq[Attribute]): Seq[String] =
    schema.filter(isGenerated).map(_.name)
      .filterNot(name => rows.exists(value => SQLConf.get.resolver(value.name, name)))

  /** Returns the expression of a generated column. */
  def expressionOf(field: StructField): Option[String] =
    GeneratedColumn.getGenerationExpression(field)

  /** Returns an expression over the columns of a table.
    * @param columns to which it refers */
  def resolved(expression: String, columns: Seq[Attribute]): Expression =
    rowExpression(expression, columns)
      .getOrElse(throw new IllegalStateException(s"INTERNAL: $expression is no column of a query"))

  /** Returns the condition that a row of the table fulfils. */
  def condition(name: String, expression: String): String =
    s"${quoteIfNeeded(name)} <=> ($expression)"

  /** Returns the clause that declares a generated column. */
  def ddl(expression: String): String = s"GENERATED ALWAYS AS ($expression)"

  /** Returns a column as a catalog gets it, with its expression.
    * @param field the column without its expression */
  private[catalog] def declared(field: StructField, column: Column): StructField =
    Option(column.generationExpression).fold(field) { expression =>
      val metadata = new MetadataBuilder().withMetadata(field.metadata)
        .putString(GeneratedColumn.GENERATION_EXPRESSION_METADATA_KEY, expression)
      field.copy(metadata = metadata.build())
    }

  /** Returns the generated column whose expression reads a column. */
  private[catalog] def reading(schema: StructType, column: String): Option[String] =
    schema.find(field =>
      expressionOf(field).exists(text =>
        StoredExpression.parsed(text).exists {
          case read: UnresolvedAttribute => read.nameParts.head.equalsIgnoreCase(column)
          case _ => false
        }
      )
    ).map(_.name)

  /** Returns the generated columns as conditions that DESCRIBE shows. */
  private[catalog] def shown(schema: StructType): Seq[Constraint] = for {
    field <- schema
    expression <- expressionOf(field)
  } yield Constraint.check(constraint)
    .predicateSql(condition(field.name, expression))
    .enforced(true)
    .validationStatus(Constraint.ValidationStatus.VALID)
    .build()

  /** Checks the expressions of a CREATE TABLE, with Spark's rules and more: an expression has one
    * value for each row, the same value at any time, and values can be compared.
    * @param statement for messages
    * Errors: UNSUPPORTED_EXPRESSION_GENERATED_COLUMN, and Spark's for a column that is not there. */
  def check(
      schema: StructType,
      catalog: TableCatalog,
      name: Identifier,
      statement: String
  ): Unit = {
    for { field <- schema; text <- expressionOf(field) }
      reason(schema, field, text).foreach { why =>
        throw new AnalysisException(
          "UNSUPPORTED_EXPRESSION_GENERATED_COLUMN",
          Map("fieldName" -> field.name, "expressionStr" -> text, "reason" -> why)
        )
      }
    GeneratedColumn.validateGeneratedColumns(schema, catalog, name, statement)
  }

  /** Returns why an expression that Spark's rules may let pass is none of a generated column. Spark
    * itself says what is wrong with an expression that cannot be analyzed. */
  private def reason(schema: StructType, field: StructField, text: String): Option[String] = {
    val columns = DataTypeUtils.toAttributes(
      CharVarcharUtils.replaceCharVarcharWithStringInSchema(StructType(schema.filter(_ != field)))
    )
    try
      rowExpression(text, columns) match {
        case None =>
          Some("an aggregate, a window function or a generator has no value for a row alone")
        case Some(value) if value.containsPattern(CURRENT_LIKE) =>
          Some("its value depends on when and by whom the row is written")
        case Some(value) if !RowOrdering.isOrderable(value.dataType) =>
          Some(s"values of type ${value.dataType.sql} cannot be compared")
        case _ => None
      }
    catch { case _: AnalysisException => None }
  }

  /** Checks that no generated column is one that hudilite needs before the row is computed.
    * @param schema columns of a CREATE TABLE
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE. */
  private[catalog] def checkRoles(
      table: String,
      schema: StructType,
      keys: Seq[String],
      ordering: Seq[String]
  ): Unit = schema.foreach { field =>
    expressionOf(field).foreach { expression =>
      def refused(what: String, fix: String) = AnalysisErrors.of(
        "HUDILITE_UNSUPPORTED_CLAUSE",
        "clause" -> s"${field.name} ${ddl(expression)}, $what",
        "table" -> table,
        "fix" -> fix
      )
      val plain = s"Declare ${field.name} without GENERATED, and give its value in each statement."
      if (keys.contains(field.name)) throw refused("a key column", plain)
      if (ordering.contains(field.name)) throw refused("an ordering field", plain)
      if (!field.nullable)
        throw refused("NOT NULL",
          s"Remove NOT NULL, and add CHECK (${quoteIfNeeded(field.name)} IS NOT NULL).")
    }
  }

  private def rowExpression(text: String, columns: Seq[Attribute]): Option[Expression] =
    RowExpression(StoredExpression.parsed(text), columns, GeneratedColumnAnalyzer)
}
