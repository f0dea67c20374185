package hudilite.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.parser.{CatalystSqlParser, ParserInterface}
import org.apache.spark.sql.internal.SQLConf

/** SQL texts beside the setting `spark.sql.parser.escapedStringLiterals`, under which a backslash in a
  * literal is a character like any other. */
private[hudilite] object SqlText {

  /** Returns a text as a literal that the parser of this session reads as the text. */
  def literal(text: String): String =
    if (!SQLConf.get.escapedStringLiterals || !text.exists("\\'".contains(_))) Literal(text).sql
    else text.split("'", -1).map(part => s"r'$part'").mkString(""" r"'" """)

  /** Parses an expression that a table stores. It means the same in every session.
    * Errors: Spark's. */
  def stored(text: String, parser: ParserInterface = CatalystSqlParser): Expression =
    if (!SQLConf.get.escapedStringLiterals) parser.parseExpression(text)
    else
      Setting.within(SQLConf.ESCAPED_STRING_LITERALS.key, value = false)(
        parser.parseExpression(text)
      )

  /** Whether this session reads an expression as [[stored]] does. */
  def isStoredAsRead(text: String): Boolean =
    CatalystSqlParser.parseExpression(text) == stored(text)

  /** What to write instead of an expression that this session reads in another way. */
  val asRaw: String =
    "Other sessions read a backslash in it in another way. Write the literal as r'...'."
}
