package hudilite.spark.parse

import java.util.Locale

import scala.annotation.tailrec

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer._
import org.apache.spark.sql.catalyst.trees.Origin

import hudilite.format.IndexKind
import hudilite.spark.plan.SqlTokens

/** One clause `WITH BUCKETS n [ON (columns)]` of a CREATE TABLE, with its position in the text.
  *
  * @param statement  index of the statement's first character, in code points
  * @param numBuckets 1 to 100,000
  * @param columns    hash columns as written; empty if the clause names none
  * @param from       index of the clause's first character, in code points
  * @param until      index after its last character, in code points */
final case class BucketsClause(
    statement: Int,
    numBuckets: Int,
    columns: Seq[String],
    from: Int,
    until: Int
) extends ClauseText

object BucketsClause {

  /** Finds the clauses of every CREATE TABLE in a statement or script.
    *
    * `WITH buckets AS (..)` is a common table expression, not a clause.
    * @param sqlText statement or script, variables substituted
    * @return clauses in the order of the text
    * Errors: HUDILITE_BUCKET_COUNT_INVALID, HUDILITE_BUCKET_COLUMN_INVALID, DUPLICATE_CLAUSES. */
  def in(sqlText: String): Seq[BucketsClause] =
    if (mayBeIn(sqlText)) new BucketsScan(sqlText, SqlTokens.of(sqlText)).clauses else Nil

  /** Whether the text may contain the clause; most statements need no scan. */
  def mayBeIn(sqlText: String): Boolean =
    sqlText.toLowerCase(Locale.ROOT).contains("buckets")
}

/** Single pass over the tokens, to find where the clauses of each CREATE TABLE begin and end; the
  * rest of the grammar is left to Spark's parser. */
final private class BucketsScan(sqlText: String, tokens: IndexedSeq[Token]) {

  def clauses: Seq[BucketsClause] = outside(0, Vector.empty)

  @tailrec
  private def outside(at: Int, found: Vector[BucketsClause]): Vector[BucketsClause] =
    if (at >= tokens.length) found
    else
      afterCreateTable(at) match {
        case Some(next) =>
          val (rest, clause) = inClauses(next, 0, tokens(at).getStartIndex, None)
          outside(rest, found ++ clause)
        case None => outside(at + 1, found)
      }

  @tailrec
  private def inClauses(
      at: Int,
      depth: Int,
      statement: Int,
      found: Option[BucketsClause]
  ): (Int, Option[BucketsClause]) = kind(at) match {
    case Token.EOF | SEMICOLON => (at, found)
    case LEFT_PAREN => inClauses(at + 1, depth + 1, statement, found)
    case RIGHT_PAREN => inClauses(at + 1, depth - 1, statement, found)
    case AS | SELECT | FROM | VALUES if depth == 0 => (at, found)
    case WITH if depth == 0 && isClause(at) =>
      found.foreach(_ => throw duplicateClause(tokens(at)))
      val (next, clause) = clauseAt(at, statement)
      inClauses(next, depth, statement, Some(clause))
    case WITH if depth == 0 => (at, found)
    case _ => inClauses(at + 1, depth, statement, found)
  }

  /** Returns the index after CREATE [OR REPLACE] [GLOBAL] [TEMPORARY] [EXTERNAL] TABLE or REPLACE
    * TABLE; None if these tokens are not at `at`. */
  private def afterCreateTable(at: Int): Option[Int] = {
    val skipped = kind(at) match {
      case CREATE if kind(at + 1) == OR && kind(at + 2) == REPLACE => at + 3
      case CREATE | REPLACE => at + 1
      case _ => -1
    }
    Option
      .when(skipped > 0) {
        LazyList.from(skipped).dropWhile(i => modifiers.contains(kind(i))).head
      }
      .filter(kind(_) == TABLE)
      .map(_ + 1)
  }

  private val modifiers = Set(GLOBAL, TEMPORARY, EXTERNAL)

  /** Whether WITH begins the clause and not a CTE named `buckets`: a CTE's name is followed by its
    * columns, its recursion limit or AS, never by a number. */
  private def isClause(at: Int): Boolean = kind(at + 1) == BUCKETS && (kind(at + 2) match {
    case AS | LEFT_PAREN | MAX => false
    case _ => true
  })

  private def clauseAt(at: Int, statement: Int): (Int, BucketsClause) = {
    val numBuckets = countAt(at + 2)
    val (next, columns) =
      if (kind(at + 3) == ON) columnsAt(at + 4) else (at + 3, Nil)
    val from = tokens(at).getStartIndex
    val until = tokens(next - 1).getStopIndex + 1
    (next, BucketsClause(statement, numBuckets, columns, from, until))
  }

  private def countAt(at: Int): Int = {
    val count = Option.when(kind(at) == INTEGER_VALUE)(BigInt(tokens(at).getText))
    count.filter(n => n >= 1 && n <= IndexKind.maxBuckets).map(_.toInt).getOrElse {
      val words = tokens.slice(at, if (signs.contains(kind(at))) at + 2 else at + 1)
      throw new HudiliteParseException(
        "HUDILITE_BUCKET_COUNT_INVALID",
        Map("value" -> words.map(_.getText).mkString),
        tokens(math.min(at, tokens.length - 1))
      )
    }
  }

  private val signs = Set(MINUS, PLUS, COLON)

  private def columnsAt(at: Int): (Int, Seq[String]) = {
    val close = tokens.indexWhere(_.getType == RIGHT_PAREN, at)
    val inside = if (kind(at) == LEFT_PAREN && close > 0) tokens.slice(at + 1, close) else Vector()
    val wellFormed = inside.length % 2 == 1 && inside.zipWithIndex.forall { case (token, i) =>
      if (i % 2 == 1) token.getType == COMMA else nameOf(token).isDefined
    }
    if (!wellFormed)
      throw new HudiliteParseException(
        "HUDILITE_BUCKET_COLUMN_INVALID",
        Map(
          "column" -> inside.map(_.getText).mkString(" "),
          "reason" -> "ON needs column names in parentheses, as in WITH BUCKETS 4 ON (id)"
        ),
        tokens(math.min(at, tokens.length - 1))
      )
    (close + 1, inside.flatMap(nameOf))
  }

  /** Returns the column name that a token is, if any. Keywords of the lexer, such as MONTH and KEY,
    * are valid column names. */
  private def nameOf(token: Token): Option[String] = token.getText match {
    case text if token.getType == BACKQUOTED_IDENTIFIER =>
      Some(text.substring(1, text.length - 1).replace("``", "`"))
    case text if text.matches("[A-Za-z0-9_]+") => Some(text)
    case _ => None
  }

  private def duplicateClause(at: Token): ParseException = new ParseException(
    Some(sqlText),
    Origin(Some(at.getLine), Some(at.getCharPositionInLine)),
    "DUPLICATE_CLAUSES",
    Map("clauseName" -> "WITH BUCKETS")
  )

  private def kind(at: Int): Int = if (at < tokens.length) tokens(at).getType else Token.EOF
}
