package hudilite.spark.parse

/** A clause that Spark's grammar does not have, by its position in a SQL text. */
private[parse] trait ClauseText {

  /** Index of the clause's first character, in code points. */
  def from: Int

  /** Index after the clause's last character, in code points. */
  def until: Int
}

private[parse] object ClauseText {

  /** Replaces each clause by spaces; every other character keeps its position in code points. */
  def blank(sqlText: String, clauses: Seq[ClauseText]): String =
    clauses.foldLeft(sqlText) { (text, clause) =>
      val from = text.offsetByCodePoints(0, clause.from)
      val until = text.offsetByCodePoints(0, clause.until)
      val spaces = text.substring(from, until).map(char => if (char == '\n') '\n' else ' ')
      // A supplementary character counts once in a position but takes two chars.
      val kept = spaces.take(clause.until - clause.from)
      text.substring(0, from) + kept + text.substring(until)
    }
}
