package hudilite.spark.parse

/** Clauses of INSERT in Spark's grammar: Spark has WITH SCHEMA EVOLUTION since 4.2. */
private[parse] object InsertGrammar {
  val hasEvolution: Boolean = true
}
