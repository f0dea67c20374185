package hudilite.format

import scala.jdk.CollectionConverters._

import org.apache.avro.Schema

/** Avro schema of a base file: the meta columns, then the table's columns. Source: hudi-format 4.4,
  * 4.6. */
object MetaSchema {

  /** Adds the meta columns before the columns of a record.
    * @param tableSchema Avro JSON of a table's columns
    * @return Avro JSON */
  def prepend(tableSchema: String): String = {
    val table = new Schema.Parser().parse(tableSchema)
    val fields = MetaFields.all.map(meta) ++ table.getFields.asScala.map(copy)
    Schema
      .createRecord(table.getName, table.getDoc, table.getNamespace, false, fields.asJava)
      .toString
  }

  private def meta(name: String): Schema.Field = {
    val text =
      Schema.createUnion(Schema.create(Schema.Type.NULL), Schema.create(Schema.Type.STRING))
    new Schema.Field(name, text, "", Schema.Field.NULL_DEFAULT_VALUE)
  }

  private def copy(field: Schema.Field): Schema.Field = new Schema.Field(field, field.schema)
}
