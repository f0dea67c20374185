package hudilite.spark.repair

import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, StringType, StructField, StructType}

import hudilite.error.Suggestion
import hudilite.format.MetaFields
import hudilite.index.ZValue
import hudilite.spark.catalog.HudiliteTable

/** Order by which a clustering spreads the rows of a partition over files.
  * @param columns  columns of the table; Nil: the record key alone
  * @param isZOrder whether rows share a file that are near each other in each of the columns, or else
  *                 those that follow each other by the columns in turn */
final case class ClusterOrder(columns: Seq[StructField], isZOrder: Boolean) {

  /** Columns that decide about the file of a row: those of the order, then the record key, which
    * spreads rows with the same values. */
  private[repair] val schema: StructType = CharVarcharUtils.replaceCharVarcharWithStringInSchema(
    StructType(columns :+ StructField(MetaFields.RecordKey, StringType))
  )
}

object ClusterOrder {

  /** Order by the record key. */
  private[repair] val byKey: ClusterOrder = ClusterOrder(Nil, isZOrder = false)

  /** Returns the order by some columns of a table.
    * @param names   parts of the names of the columns, not empty
    * @param invalid builds the error for a name, from a text that says what to write instead
    * Errors: those of `invalid`, for a name that is no column, comes twice, is a partition column or has
    * a type whose values have no order, and for too many columns of a z-order. */
  def of(table: HudiliteTable, names: Seq[Seq[String]], isZOrder: Boolean)(
      invalid: String => Throwable
  ): ClusterOrder = {
    val columns = names.map(column(table, _, invalid))
    if (columns.distinct.size < columns.size) throw invalid("Write each column once.")
    if (isZOrder && columns.size > ZValue.mostNumbers)
      throw invalid(
        s"Write at most ${ZValue.mostNumbers} columns: the more there are, the less each one decides."
      )
    ClusterOrder(columns, isZOrder)
  }

  private def column(
      table: HudiliteTable,
      name: Seq[String],
      invalid: String => Throwable
  ): StructField = {
    val isSame = SQLConf.get.resolver
    val found = table.schema.find(field => name.size == 1 && isSame(field.name, name.head))
      .getOrElse(throw invalid(unknown(table.schema, name)))
    if (table.config.partitionFields.contains(found.name))
      throw invalid(
        s"Column ${found.name} has one value in each partition, so it sorts nothing: leave it out."
      )
    if (!hasOrder(found.dataType))
      throw invalid(
        s"Column ${found.name} has the type ${found.dataType.sql}. Write columns with numbers, texts, " +
          "dates or times."
      )
    found
  }

  private def unknown(schema: StructType, name: Seq[String]): String = {
    val isSame = SQLConf.get.resolver
    schema.find(field => isSame(field.name, name.head) && !hasOrder(field.dataType))
      .fold(Suggestion.of(name.mkString("."), schema.fieldNames.toSeq))(field =>
        s"It is inside of column ${field.name}. Write columns of the table itself."
      )
  }

  private def hasOrder(of: DataType): Boolean = of match {
    case _: StructType | _: ArrayType => false
    case flat => RowOrdering.isOrderable(flat)
  }
}
