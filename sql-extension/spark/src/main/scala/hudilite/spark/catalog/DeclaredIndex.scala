package hudilite.spark.catalog

import hudilite.error.HudiliteException

/** Check of statements that must know how the keys of a table are found. A table of stock Hudi
  * declares no index in hoodie.properties until CREATE TABLE adopts it. */
object DeclaredIndex {

  /** Fails for a table that does not declare its index.
    * @param statement name of the statement
    * Errors: HUDILITE_UNSUPPORTED_STATEMENT. */
  def check(statement: String, table: HudiliteTable): Unit =
    if (!table.config.isIndexDeclared)
      throw HudiliteException(
        "HUDILITE_UNSUPPORTED_STATEMENT",
        "statement" -> statement,
        "table" -> table.name,
        "fix" -> ("Its properties do not contain its index. Run once: CREATE TABLE name USING " +
          "hudilite [WITH BUCKETS n ON (columns)] LOCATION '...'.")
      )
}
