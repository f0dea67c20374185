package hudilite.spark.catalog

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange._
import org.apache.spark.sql.hudilite.AlteredColumns
import org.apache.spark.sql.types.{StructField, StructType}

import hudilite.spark.error.AnalysisErrors
import hudilite.spark.plan.{BloomColumns, NestedField}

/** Checks which changes of columns and of fields in them ALTER TABLE can make.
  * @param written name of the table as a statement has it */
private[spark] final class ColumnChangeRules(table: HudiliteTable, written: String) {

  /** Checks a change; those of properties and constraints pass.
    * @param columns columns before the change
    * Errors: HUDILITE_UNSUPPORTED_STATEMENT. */
  def check(change: TableChange, columns: StructType): Unit = change match {
    case _: SetProperty | _: RemoveProperty | _: AddConstraint | _: DropConstraint |
        _: UpdateColumnComment =>
    case add: AddColumn => checkNew(add, columns)
    case rename: RenameColumn =>
      checkFree(rename, "RENAME COLUMN")
      checkUnread(rename, "RENAME COLUMN", columns)
    case drop: DeleteColumn =>
      checkFree(drop, "DROP COLUMN")
      checkUnread(drop, "DROP COLUMN", columns)
    case retype: UpdateColumnType =>
      checkFree(retype, "ALTER COLUMN TYPE of")
      checkUnread(retype, "ALTER COLUMN TYPE of", columns)
      checkWide(retype, columns)
    case move: UpdateColumnPosition =>
      checkPlace(move, move.position, s"ALTER COLUMN ${nameOf(move)} ${move.position}", columns)
    case nullability: UpdateColumnNullability => checkNullability(nullability, columns)
    case default: UpdateColumnDefaultValue => checkDefault(default, columns)
    case other => throw refused(other.getClass.getSimpleName, copy)
  }

  /** Checks DROP NOT NULL and SET NOT NULL. Hudi's readers expect a column that is not nullable to be
    * required in each file, and existing files have it optional. */
  def checkNullability(change: UpdateColumnNullability, columns: StructType): Unit = {
    val isNullable = AlteredColumns.find(columns, change.fieldNames.toSeq).forall(_.nullable)
    if (change.nullable && !isNullable && roles.get(change.fieldNames.head).contains(key))
      throw refused(s"ALTER COLUMN ${nameOf(change)} DROP NOT NULL, $key",
        "A key is never null.")
    if (!change.nullable && isNullable) {
      val constraint = quoteIfNeeded(s"${change.fieldNames.mkString("_")}_not_null")
      throw refused(
        s"ALTER COLUMN ${nameOf(change)} SET NOT NULL",
        s"Type: ALTER TABLE $written ADD CONSTRAINT $constraint CHECK (${nameOf(change)} IS NOT NULL)"
      )
    }
  }

  /** Checks SET DEFAULT and DROP DEFAULT. The values of existing rows stay. */
  private def checkDefault(change: UpdateColumnDefaultValue, columns: StructType): Unit = {
    val what = s"ALTER COLUMN ${nameOf(change)} SET DEFAULT"
    if (change.fieldNames.length > 1)
      throw refused(s"$what, a field", "Only a column has a default: give the whole struct.")
    if (columns.find(_.name == change.fieldNames.head).exists(GeneratedColumns.isGenerated))
      throw refused(s"$what, a generated column", "Statements that leave it out compute it.")
  }

  private def checkNew(add: AddColumn, columns: StructType): Unit = {
    val name = nameOf(add)
    val plain = s"Type: ALTER TABLE $written ADD COLUMN $name ${add.dataType.sql}"
    if (add.fieldNames.length > 1) checkFree(add, "ADD COLUMN")
    Option(add.defaultValue).foreach { default =>
      throw refused(
        s"ADD COLUMN $name DEFAULT",
        "Other readers return null for the existing rows. Add the column, then set the default of " +
          s"new rows with ALTER COLUMN $name SET DEFAULT ${default.getSql}. $plain"
      )
    }
    if (!add.isNullable)
      throw refused(s"ADD COLUMN $name NOT NULL",
        s"The existing rows contain null in the new column. $plain")
    Option(add.position).foreach(checkPlace(add, _, s"ADD COLUMN $name ${add.position}", columns))
  }

  /** Rejects a place that the files cannot show: base files of some tables have no partition columns,
    * and readers put these at the end. */
  private def checkPlace(
      change: ColumnChange,
      position: ColumnPosition,
      what: String,
      columns: StructType
  ): Unit = {
    val beside = Option(position).collect { case after: After => after.column }
    val parent = change.fieldNames.toSeq.dropRight(1)
    if (beside.exists(name => AlteredColumns.find(columns, parent :+ name).isEmpty))
      throw refused(what,
        s"There is no column ${(parent ++ beside).map(quoteIfNeeded).mkString(".")}.")
    if (parent.isEmpty && table.config.dropsPartitionColumns)
      (change.fieldNames.head +: beside.toSeq).find(table.config.partitionFields.contains)
        .foreach(name =>
          throw refused(what,
            s"The files do not contain the partition column $name, which readers put at the end.")
        )
  }

  /** Rejects a change of a key, partition or ordering column: the table facts name these. */
  private def checkFree(change: ColumnChange, what: String): Unit =
    roles.get(change.fieldNames.head).foreach(role =>
      throw refused(s"$what ${nameOf(change)}, ${part(change)}$role", copy)
    )

  private def part(change: ColumnChange): String =
    if (change.fieldNames.length > 1) "a field of " else ""

  private def roles: Map[String, String] = {
    val config = table.config
    (config.namedOrderingFields.map(NestedField.column(_) -> "an ordering field") ++
      config.partitionFields.map(_ -> "a partition column") ++
      config.recordKeyFields.map(NestedField.column(_) -> key)).toMap
  }

  /** Rejects a change of a column that a constraint or a generated column reads, or that has bloom
    * filters: a property of the table names it. */
  private def checkUnread(change: ColumnChange, what: String, columns: StructType): Unit = {
    GeneratedColumns.reading(columns, change.fieldNames.head).foreach { generated =>
      val name = quoteIfNeeded(generated)
      throw refused(
        s"$what ${nameOf(change)}, ${part(change)}a column of the generated column $generated",
        if (roles.contains(generated)) copy
        else s"Run the statement again after: ALTER TABLE $written DROP COLUMN $name"
      )
    }
    if (BloomColumns.has(table.config.properties.get(BloomColumns.name), change.fieldNames.head))
      throw refused(
        s"$what ${nameOf(change)}, ${part(change)}a column of '${BloomColumns.name}'",
        s"Run the statement again after: ALTER TABLE $written UNSET TBLPROPERTIES " +
          s"('${BloomColumns.name}')"
      )
    CheckConstraints.reading(table.config, change.fieldNames.head).foreach { constraint =>
      val name = quoteIfNeeded(constraint)
      throw refused(
        s"$what ${nameOf(change)}, ${part(change)}a column of the constraint $constraint",
        s"Run the statement again after: ALTER TABLE $written DROP CONSTRAINT $name"
      )
    }
  }

  private def checkWide(retype: UpdateColumnType, columns: StructType): Unit =
    AlteredColumns.find(columns, retype.fieldNames.toSeq).foreach { field =>
      if (!isAsWide(field, retype))
        throw refused(
          s"ALTER COLUMN ${nameOf(retype)} TYPE ${retype.newDataType.sql} of ${field.dataType.sql}",
          "A type can only become one that contains all its values: a longer integer, DOUBLE, a " +
            s"DECIMAL of more digits, or a longer VARCHAR. For other types: $copy"
        )
    }

  private def isAsWide(field: StructField, retype: UpdateColumnType): Boolean =
    field.dataType == retype.newDataType ||
      ColumnChanges.widens(field.dataType, retype.newDataType)

  private def nameOf(change: ColumnChange): String =
    change.fieldNames.map(quoteIfNeeded).mkString(".")

  private val key = "a key column"
  private val copy = "Create a new table and insert the rows of this one."

  private def refused(what: String, fix: String): AnalysisException = AnalysisErrors.of(
    "HUDILITE_UNSUPPORTED_STATEMENT",
    "statement" -> s"ALTER TABLE ... $what",
    "table" -> table.name,
    "fix" -> fix
  )
}
