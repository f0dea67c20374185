package hudilite.spark.diff

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types.{DataType, StructType}

import hudilite.format.TableConfig
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.read.SliceSelection
import hudilite.view.FileSlice

/** One of the two states that are compared.
  * @param table    table in that state
  * @param declared columns with which it is read: those of the state, or later ones */
final case class DiffSide(table: HudiliteTable, declared: StructType) {

  /** Columns in the types in which they are read. */
  val columns: StructType = CharVarcharUtils.replaceCharVarcharWithStringInSchema(declared)

  def config: TableConfig = table.config

  /** Returns the file slices that may contain rows that pass all conditions. */
  private[diff] def slices(conditions: Seq[Expression]): Seq[FileSlice] =
    SliceSelection.of(table.snapshot, declared, conditions).slices

  /** Whether both are states of one table. */
  private[diff] def isSameTable(other: DiffSide): Boolean =
    table.basePath == other.table.basePath

  /** Returns the types of some columns, None for one that the table does not have. */
  private[diff] def typesOf(names: Seq[String]): Seq[Option[DataType]] =
    names.map(name => columns.find(_.name == name).map(_.dataType))
}
