package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

import hudilite.spark.plan.{InsertClause, MergeSpec}

/** Key columns of the rows that a write inserts and updates, with the expressions of their values.
  * Errors about a row contain them.
  * @param columns columns of the table */
private[analyze] final class WrittenKeys(spec: MergeSpec, columns: Seq[Attribute]) {

  /** Returns the names and values of the key columns of a row.
    * @param values    one for each column of the table
    * @param isMatched whether the row is that of a source row, which has its key */
  def of(values: Seq[Expression], isMatched: Boolean): Seq[(String, Expression)] =
    if (isMatched && spec.sourceKey.nonEmpty && !spec.hasStoredKey)
      spec.keyColumns.map(_.name).zip(spec.sourceKey)
    else
      columns.zip(values).collect {
        case (column, value) if spec.keyColumns.exists(_.semanticEquals(column)) =>
          column.name -> value
      }

  /** The names and values of the key columns of the rows that the first INSERT clause inserts. */
  def ofInserted: Seq[(String, Expression)] =
    spec.notMatched.collectFirst { case insert: InsertClause => of(insert.values, false) }
      .getOrElse(Nil)
}
