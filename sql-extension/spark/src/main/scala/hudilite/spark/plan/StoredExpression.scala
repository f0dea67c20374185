package hudilite.spark.plan

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.parser.SqlBaseParser.StringLiteralContext
import org.apache.spark.sql.catalyst.parser.{
  AbstractSqlParser,
  AstBuilder,
  CatalystSqlParser,
  SqlBaseLexer
}
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.internal.SQLConf

/** Expressions that a table stores as text: conditions of CHECK constraints, and expressions of
  * generated columns. A stored text means the same in every session: its string literals are read
  * as Spark reads them by default, and text in double quotes is a string literal. */
private[spark] object StoredExpression {

  /** Settings by which a session reads texts in quotes in another way. */
  private val settings = Seq(
    SQLConf.ESCAPED_STRING_LITERALS,
    SQLConf.LEGACY_CONSECUTIVE_STRING_LITERALS,
    SQLConf.DOUBLE_QUOTED_IDENTIFIERS
  )

  /** Returns the expression of a stored text. */
  def parsed(text: String): Expression = byDefault(CatalystSqlParser.parseExpression(text))

  /** Returns the text to store for an expression of a statement: names in double quotes get back
    * quotes, and the literals to which the session gives another meaning are written in the default
    * way. */
  def stored(stated: String): String =
    if (isDefault) stated
    else {
      val named = if (SQLConf.get.doubleQuotedIdentifiers) withBackQuotes(stated) else stated
      val others = byDefault(StringLiteral.in(named)).toSet
      StringLiteral.in(named).filterNot(others).foldRight(named)(_.rewritten(_))
    }

  private def withBackQuotes(text: String): String = {
    val names = SqlTokens.of(text).filter(_.getType == SqlBaseLexer.DOUBLEQUOTED_STRING)
    names.foldRight(text) { (token, after) =>
      val name = token.getText.drop(1).dropRight(1).replace("\"\"", "\"")
      Span(token.getStartIndex, token.getStopIndex + 1).replaced(after, quoteIdentifier(name))
    }
  }

  private def isDefault: Boolean = settings.forall(!SQLConf.get.getConf(_))

  private def byDefault[A](run: => A): A =
    if (isDefault) run
    else settings.map(_.key).foldLeft(() => run)((inner, key) =>
      () => Setting.within(key, value = false)(inner())
    )()
}

/** Part of a text.
  * @param from  index of the first character, in code points
  * @param until index after the last character, in code points */
final private case class Span(from: Int, until: Int) {

  /** Returns the text with another one in the place of this part. */
  def replaced(text: String, by: String): String =
    text.take(text.offsetByCodePoints(0, from)) + by + text.drop(text.offsetByCodePoints(0, until))
}

/** String literal of an expression, or several in a row, which are one value.
  * @param value what the session takes it for */
final private case class StringLiteral(place: Span, value: String) {

  /** Returns the text with this literal as Spark writes it by default. */
  def rewritten(text: String): String = place.replaced(text, Literal(value).sql)
}

private object StringLiteral {

  /** Finds the literals of an expression, in the order of the text. */
  def in(text: String): Seq[StringLiteral] = {
    val found = mutable.Set.empty[StringLiteral]
    val parser = new AbstractSqlParser {
      override val astBuilder: AstBuilder = new AstBuilder {
        override def visitStringLiteral(literal: StringLiteralContext): Literal = {
          val read = super.visitStringLiteral(literal)
          val place = Span(literal.getStart.getStartIndex, literal.getStop.getStopIndex + 1)
          found += StringLiteral(place, read.value.toString)
          read
        }
      }
    }
    parser.parseExpression(text): Unit
    found.toSeq.sortBy(_.place.from)
  }
}
