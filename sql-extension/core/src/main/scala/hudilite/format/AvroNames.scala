package hudilite.format

/** Names in the Avro schema of a table. Source: hudi-format §3.7, §10.3. */
object AvroNames {
  private val valid = "[A-Za-z_][A-Za-z0-9_]*".r

  /** Whether stock Hudi can parse a schema with a column of this name. */
  def isValid(name: String): Boolean = valid.matches(name)

  /** Replaces every character that Avro forbids by `__`, as Hudi does. */
  def sanitize(name: String): String =
    name.replaceFirst("^[^A-Za-z_]", "__").replaceAll("[^A-Za-z0-9_]", "__")

  /** Returns the name of the record that contains a table's columns. */
  def tableRecordName(table: String): String = s"${sanitize(table)}_record"

  /** Returns the namespace of that record. */
  def namespace(table: String): String = s"hoodie.${sanitize(table)}"
}
