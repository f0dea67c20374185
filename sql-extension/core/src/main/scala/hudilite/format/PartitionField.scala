package hudilite.format

import java.util.Locale

/** Partition column as hoodie.table.partition.fields lists it: `column`, or `column:type` under a
  * custom key generator.
  * @param column name of the column
  * @param type   upper-case type, which says how the generator writes the column's value; None if
  *               the properties state none, as in a table of version 6
  * Source: table-versions §2.4. */
private[format] final case class PartitionField(column: String, `type`: Option[String])

private[format] object PartitionField {

  /** Type of a column whose folder has the text of its value. */
  val simple = "SIMPLE"

  /** Type of a column whose folder is the date of its value. */
  val timestamp = "TIMESTAMP"

  def parse(text: String): PartitionField = text.split(":", 2) match {
    case Array(column, kind) =>
      PartitionField(column.trim, Some(kind.trim.toUpperCase(Locale.ROOT)).filter(_.nonEmpty))
    case _ => PartitionField(text, None)
  }
}
