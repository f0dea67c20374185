package hudilite.spark.catalog

import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.types.StructType

/** Names of columns in the form that Spark's `Expressions` parses. Stock Hudi also takes a field of a
  * struct, such as `place.city`, as key or partition column. */
private[catalog] object ColumnReference {

  /** Returns the columns, quoted, without those that the table does not have. */
  def of(schema: StructType, fields: Seq[String]): Seq[String] = fields.flatMap { field =>
    val parts = if (schema.fieldNames.contains(field)) Seq(field) else field.split('.').toSeq
    Option.when(has(schema, parts))(parts.map(quoteIdentifier).mkString("."))
  }

  private def has(schema: StructType, parts: Seq[String]): Boolean = parts match {
    case Seq(first, rest @ _*) =>
      schema.fields.find(_.name == first).exists { field =>
        field.dataType match {
          case struct: StructType if rest.nonEmpty => has(struct, rest)
          case _ => rest.isEmpty
        }
      }
    case _ => false
  }
}
