package hudilite.spark.catalog

import java.util.Locale

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.connector.catalog.TableChange.{AddConstraint, DropConstraint}
import org.apache.spark.sql.connector.catalog.constraints.{Check, Constraint, PrimaryKey}
import org.apache.spark.sql.types.StructType

import hudilite.format.TableConfig
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.plan.StoredExpression

/** CHECK constraints of a table: conditions that no written row may make false. They are stored in
  * hoodie.properties with their names, which are equal in whatever case they are written. */
private[catalog] object CheckConstraints {

  /** Returns name and condition of the CHECK constraints of a statement.
    * @param table for messages
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE for other constraints than PRIMARY KEY and CHECK,
    * HUDILITE_INVALID_NAME; Spark's for two constraints of one name. */
  def declared(table: String, constraints: Seq[Constraint]): Seq[(String, String)] =
    constraints.foldLeft(TableConfig(Map.empty)) {
      case (config, _: PrimaryKey) => config
      case (config, constraint) => added(table, config, constraint)
    }.checks

  /** Returns the properties with one more constraint.
    * Errors: those of [[declared]]. */
  def added(table: String, config: TableConfig, constraint: Constraint): TableConfig =
    constraint match {
      case check: Check =>
        val name = check.name
        if (!name.matches("[A-Za-z0-9_]+"))
          throw AnalysisErrors.of(
            "HUDILITE_INVALID_NAME",
            "name" -> name,
            "reason" -> "it is the name of a constraint"
          )
        found(config, name).foreach { case (own, condition) =>
          throw new AnalysisException(
            "CONSTRAINT_ALREADY_EXISTS",
            Map("constraintName" -> name, "oldConstraint" -> ddl(own, condition))
          )
        }
        config.withChecks(config.checks :+ (name -> check.predicateSql))
      case other =>
        throw AnalysisErrors.of(
          "HUDILITE_UNSUPPORTED_CLAUSE",
          "clause" -> other.toDDL,
          "table" -> table,
          "fix" -> "Only PRIMARY KEY and CHECK are supported. Remove the constraint."
        )
    }

  /** Returns the properties after ALTER TABLE ADD or DROP CONSTRAINT.
    * Errors: those of [[declared]]; Spark's for a constraint that the table does not have. */
  def changed(table: String, config: TableConfig, change: AddConstraint): TableConfig =
    added(table, config, stored(change.constraint))

  /** Returns the constraint of an ALTER TABLE with the condition as the table stores it. */
  private def stored(stated: Constraint): Constraint = stated match {
    case check: Check =>
      Constraint.check(check.name).predicateSql(StoredExpression.stored(check.predicateSql)).build()
    case other => other
  }

  def changed(table: String, config: TableConfig, change: DropConstraint): TableConfig =
    found(config, change.name) match {
      case Some((own, _)) => config.withChecks(config.checks.filterNot(_._1 == own))
      case None if change.ifExists => config
      case None =>
        throw new AnalysisException(
          "CONSTRAINT_DOES_NOT_EXIST",
          Map("constraintName" -> change.name, "tableName" -> table)
        )
    }

  /** Fails for a condition that names a column with its table, as no statement could compare rows with it.
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE. */
  def checkNames(table: String, condition: String, schema: StructType): Unit = {
    def isColumn(name: String) = schema.fieldNames.exists(_.equalsIgnoreCase(name))
    StoredExpression.parsed(condition).foreach {
      case column: UnresolvedAttribute
          if column.nameParts.size > 1 && !isColumn(column.nameParts.head) =>
        val own = column.nameParts.dropWhile(!isColumn(_))
        val written = (if (own.isEmpty) column.nameParts.takeRight(1) else own).map(quoteIfNeeded)
        throw AnalysisErrors.of(
          "HUDILITE_UNSUPPORTED_CLAUSE",
          "clause" -> s"CHECK ($condition)",
          "table" -> table,
          "fix" -> s"Write ${written.mkString(".")} without the name of the table."
        )
      case _ =>
    }
  }

  /** Returns the constraints as Spark shows them. */
  def shown(config: TableConfig): Seq[Constraint] = config.checks.map { case (name, condition) =>
    Constraint.check(name)
      .predicateSql(condition)
      .enforced(true)
      .validationStatus(Constraint.ValidationStatus.VALID)
      .build()
  }

  /** Returns the name of a constraint whose condition reads a column. */
  def reading(config: TableConfig, column: String): Option[String] =
    config.checks.collectFirst {
      case (name, condition) if columns(condition).exists(_.equalsIgnoreCase(column)) => name
    }

  /** Returns the clause that declares a constraint. */
  def ddl(name: String, condition: String): String =
    s"CONSTRAINT ${quoteIfNeeded(name)} CHECK ($condition)"

  private def columns(condition: String): Seq[String] =
    StoredExpression.parsed(condition).collect {
      case column: UnresolvedAttribute => column.nameParts.head
    }

  private def found(config: TableConfig, name: String): Option[(String, String)] =
    config.checks.find(_._1.toLowerCase(Locale.ROOT) == name.toLowerCase(Locale.ROOT))
}
