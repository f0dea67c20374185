package hudilite.spark.parse

/** Clauses of INSERT in Spark's grammar: Spark 4.1 has no WITH SCHEMA EVOLUTION. */
private[parse] object InsertGrammar {
  val hasEvolution: Boolean = false
}
