package hudilite.format

/** Names inside a table's Avro schema. Source: hudi-format §3.7, §10.3. */
object AvroNames {
  private val valid = "[A-Za-z_][A-Za-z0-9_]*".r

  /** Whether stock Hudi can parse a schema with a column of this name. */
  def isValid(name: String): Boolean = valid.matches(name)

  /** A name with every character that Avro forbids replaced by `__`, as Hudi does. */
  def sanitize(name: String): String =
    name.replaceFirst("^[^A-Za-z_]", "__").replaceAll("[^A-Za-z0-9_]", "__")

  /** Name of the record that holds a table's columns. */
  def tableRecordName(table: String): String = s"${sanitize(table)}_record"

  /** Namespace of that record. */
  def namespace(table: String): String = s"hoodie.${sanitize(table)}"
}
