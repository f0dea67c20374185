package hudilite.spark.parse

/** What Spark's grammar of INSERT has: Spark has WITH SCHEMA EVOLUTION since 4.2. */
private[parse] object InsertGrammar {
  val hasEvolution: Boolean = true
}
