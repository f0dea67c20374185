package hudilite.spark.catalog

import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StructField, StructType}

import hudilite.spark.error.AnalysisErrors

/** Changes of REPLACE COLUMNS. Spark's list drops each column and adds those of the statement; here a
  * column that the statement names again is the same column with its values, as in Delta. */
private[catalog] object ReplacedColumns {

  /** Returns the changes of a statement, for REPLACE COLUMNS as changes of single columns.
    * @param written name of the table as a statement has it
    * Errors: HUDILITE_UNSUPPORTED_STATEMENT for a list without a column of the table. */
  def of(table: HudiliteTable, written: String, changes: Seq[TableChange]): Seq[TableChange] = {
    val own = table.schema
    val dropped = changes.collect { case drop: DeleteColumn => drop.fieldNames.toSeq }
    val asked = changes.collect { case add: AddColumn => add }
    val isReplace = asked.nonEmpty && dropped == own.map(field => Seq(field.name)) &&
      changes.size == dropped.size + asked.size
    if (isReplace) {
      checkWhole(table, written, asked)
      replaced(own, table.config.recordKeyFields, asked)
    } else changes
  }

  private def checkWhole(table: HudiliteTable, written: String, asked: Seq[AddColumn]): Unit =
    table.schema.find(field => !asked.exists(isOf(_, field))).foreach { field =>
      val name = quoteIfNeeded(field.name)
      val isNamed = table.config.namedColumns.contains(field.name)
      throw AnalysisErrors.of(
        "HUDILITE_UNSUPPORTED_STATEMENT",
        "statement" -> s"ALTER TABLE ... REPLACE COLUMNS without $name",
        "table" -> table.name,
        "fix" -> (
          if (isNamed) s"Name $name, too: it is a key, partition or ordering column."
          else s"Run the statement again after: ALTER TABLE $written DROP COLUMN $name"
        )
      )
    }

  private def replaced(
      own: StructType,
      keys: Seq[String],
      asked: Seq[AddColumn]
  ): Seq[TableChange] = {
    val found = asked.map(add => own.find(isOf(add, _)))
    val moves = found.flatten.map(_.name) != own.map(_.name)
    val names = asked.zip(found).map { case (add, field) =>
      field.fold(add.fieldNames.head)(_.name)
    }
    val places = ColumnPosition.first +: names.map(ColumnPosition.after)
    asked.zip(found).zip(places).flatMap {
      case ((add, None), place) =>
        Seq(TableChange.addColumn(add.fieldNames, add.dataType, add.isNullable, add.comment, place,
          add.defaultValue))
      case ((add, Some(field)), place) =>
        val path = Array(field.name)
        val isKey = keys.contains(field.name)
        Seq(
          Option.when(Option(add.defaultValue).nonEmpty)(add),
          Option.when(add.dataType.catalogString != field.dataType.catalogString)(
            TableChange.updateColumnType(path, add.dataType)
          ),
          Option.when(add.isNullable != field.nullable && !isKey)(
            TableChange.updateColumnNullability(path, add.isNullable)
          ),
          Option(add.comment).map(TableChange.updateColumnComment(path, _)),
          Option.when(moves)(TableChange.updateColumnPosition(path, place))
        ).flatten
    }
  }

  private def isOf(add: AddColumn, field: StructField): Boolean =
    add.fieldNames.length == 1 && SQLConf.get.resolver(add.fieldNames.head, field.name)
}
