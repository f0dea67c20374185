package hudilite.spark.parse

import org.apache.spark.sql.catalyst.expressions.Literal

import hudilite.spark.parse.CommandTokens._
import hudilite.spark.plan.SqlTokens

/** Delta's CONVERT TO DELTA, which no other parser of the session knows. The statement names no
  * hudilite table, but what it is for, CALL bootstrap does. */
private[parse] object ConvertToDelta {

  /** Returns the error for a text that is such a statement: HUDILITE_UNSUPPORTED_STATEMENT. */
  def in(sqlText: String): Option[HudiliteParseException] = SqlTokens.of(sqlText).toList match {
    case (first @ Word("CONVERT")) :: Word("TO") :: Word("DELTA") :: Name(source, _) =>
      val isPath = source.size == 2 && source.last.contains("/")
      val name = source.last.split("/").filter(_.matches("[A-Za-z_][A-Za-z0-9_]*")).lastOption
      val table = if (isPath) name.getOrElse("new_table") else s"${shown(source)}_hudi"
      val from = if (isPath) source.last else shown(source)
      val call =
        s"CALL bootstrap(table => ${Literal(table).sql}, source => ${Literal(from).sql}, " +
          "key => 'id')"
      Some(new HudiliteParseException(
        "HUDILITE_UNSUPPORTED_STATEMENT",
        Map(
          "statement" -> "CONVERT TO DELTA",
          "table" -> shown(source),
          "fix" -> ("hudilite adopts the files in a table of its own, by the columns of its key, " +
            s"here id. Write: $call")
        ),
        first
      ))
    case _ => None
  }
}
