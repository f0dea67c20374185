package hudilite.spark.plan

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.parser.SqlBaseParser.StringLiteralContext
import org.apache.spark.sql.catalyst.parser.{AbstractSqlParser, AstBuilder, CatalystSqlParser}
import org.apache.spark.sql.internal.SQLConf

/** Expressions that a table stores as text: conditions of CHECK constraints, and expressions of
  * generated columns. A stored text means the same in every session: its string literals are read
  * as Spark reads them by default. */
private[spark] object StoredExpression {

  /** Settings by which a session reads string literals in another way. */
  private val settings =
    Seq(SQLConf.ESCAPED_STRING_LITERALS, SQLConf.LEGACY_CONSECUTIVE_STRING_LITERALS)

  /** Returns the expression of a stored text. */
  def parsed(text: String): Expression = byDefault(CatalystSqlParser.parseExpression(text))

  /** Returns the text to store for an expression of a statement: the literals to which the session
    * gives another meaning are written in the default way. */
  def stored(stated: String): String =
    if (isDefault) stated
    else {
      val others = byDefault(StringLiteral.in(stated)).toSet
      StringLiteral.in(stated).filterNot(others).foldRight(stated)(_.rewritten(_))
    }

  private def isDefault: Boolean = settings.forall(!SQLConf.get.getConf(_))

  private def byDefault[A](run: => A): A =
    if (isDefault) run
    else settings.map(_.key).foldLeft(() => run)((inner, key) =>
      () => Setting.within(key, value = false)(inner())
    )()
}

/** String literal of an expression, or several in a row, which are one value.
  * @param from  index of the first character, in code points
  * @param until index after the last character, in code points
  * @param value what the session takes it for */
final private case class StringLiteral(from: Int, until: Int, value: String) {

  /** Returns the text with this literal as Spark writes it by default. */
  def rewritten(text: String): String =
    text.take(text.offsetByCodePoints(0, from)) + Literal(value).sql +
      text.drop(text.offsetByCodePoints(0, until))
}

private object StringLiteral {

  /** Finds the literals of an expression, in the order of the text. */
  def in(text: String): Seq[StringLiteral] = {
    val found = mutable.Set.empty[StringLiteral]
    val parser = new AbstractSqlParser {
      override val astBuilder: AstBuilder = new AstBuilder {
        override def visitStringLiteral(literal: StringLiteralContext): Literal = {
          val read = super.visitStringLiteral(literal)
          found += StringLiteral(literal.getStart.getStartIndex, literal.getStop.getStopIndex + 1,
            read.value.toString)
          read
        }
      }
    }
    parser.parseExpression(text): Unit
    found.toSeq.sortBy(_.from)
  }
}
