package hudilite.spark.parse

import java.util.Locale

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.parser.ParserUtils
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer._
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIfNeeded

/** Parts of statements, as patterns on lists of tokens. */
private[parse] object CommandTokens {

  /** Returns a token as a keyword: its text in upper case. */
  def word(token: Token): String = token.getText.toUpperCase(Locale.ROOT)

  /** A token as a keyword. */
  object Word {
    def unapply(token: Token): Option[String] = Some(word(token))
  }

  /** An integer that is written as digits. */
  object Digits {
    def unapply(token: Token): Option[String] =
      Option.when(token.getType == INTEGER_VALUE)(token.getText)
  }

  /** A string in quotes. */
  object Quoted {
    def unapply(token: Token): Option[String] =
      Option.when(token.getType == STRING_LITERAL || token.getType == DOUBLEQUOTED_STRING)(
        ParserUtils.unescapeSQLString(token.getText)
      )
  }

  /** One part of a name. Keywords of the lexer, such as MONTH and KEY, are valid names. */
  object Part {
    def unapply(token: Token): Option[String] = token.getText match {
      case text if token.getType == BACKQUOTED_IDENTIFIER =>
        Some(text.substring(1, text.length - 1).replace("``", "`"))
      case text if text.matches("[A-Za-z0-9_]+") => Some(text)
      case _ => None
    }
  }

  /** A name of one or more parts, and the tokens after it. */
  object Name {
    def unapply(tokens: List[Token]): Option[(Seq[String], List[Token])] = tokens match {
      case Part(first) :: Word(".") :: Name(others, rest) => Some((first +: others, rest))
      case Part(only) :: rest => Some((Seq(only), rest))
      case _ => None
    }
  }

  /** Names with commas between them, with or without parentheses around, up to the end. */
  object Names {
    def unapply(tokens: List[Token]): Option[Seq[Seq[String]]] = tokens match {
      case Word("(") :: rest if rest.lastOption.exists(_.getText == ")") => unapply(rest.init)
      case Name(only, Nil) => Some(Seq(only))
      case Name(first, Word(",") :: Names(others)) => Some(first +: others)
      case _ => None
    }
  }

  /** Name of a table in SQL. */
  def shown(name: Seq[String]): String = name.map(quoteIfNeeded).mkString(".")

  /** Text of tokens that follow each other, as it is written. */
  def written(sqlText: String, tokens: List[Token]): String = {
    val ends = for (first <- tokens.headOption; last <- tokens.lastOption)
      yield sqlText.substring(
        sqlText.offsetByCodePoints(0, first.getStartIndex),
        sqlText.offsetByCodePoints(0, last.getStopIndex + 1)
      )
    ends.getOrElse("")
  }
}
