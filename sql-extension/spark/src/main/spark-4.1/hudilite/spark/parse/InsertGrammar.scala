package hudilite.spark.parse

/** What Spark's grammar of INSERT has: Spark 4.1 has no WITH SCHEMA EVOLUTION. */
private[parse] object InsertGrammar {
  val hasEvolution: Boolean = false
}
