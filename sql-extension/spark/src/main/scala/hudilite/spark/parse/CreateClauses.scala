package hudilite.spark.parse

import scala.annotation.tailrec

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.analysis.UnresolvedIdentifier
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.connector.expressions.ClusterByTransform

import hudilite.spark.error.AnalysisErrors
import hudilite.spark.parse.CommandTokens._
import hudilite.spark.plan.{NewTableFormat, SqlTokens}

/** Clauses of Delta's CREATE TABLE that Spark parses and no hudilite table supports: identity
  * columns, and CLUSTER BY. The error has the statement without them. */
private[parse] object CreateClauses {

  /** Fails for a statement with such a clause.
    * @param sqlText statement, variables substituted
    * @param plan    plan of the statement
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE. */
  def check(sqlText: String, plan: LogicalPlan): Unit = plan match {
    case create: V2CreateTablePlan if mayBeIn(create) && NewTableFormat.isOurs(create) =>
      val tokens = SqlTokens.of(sqlText).toList.reverse.dropWhile(word(_) == ";").reverse
      clauses(tokens, 0, inQuery = false).headOption.foreach { first =>
        val others = tokens.diff(clauses(tokens, 0, inQuery = false).flatten)
        // Without a position, so that nothing stands behind the statement.
        throw new HudiliteParseException(AnalysisErrors.of(
          "HUDILITE_UNSUPPORTED_CLAUSE",
          "clause" -> text(first),
          "table" -> nameOf(create),
          "fix" -> s"${instead(first)} Type: ${text(others)}"
        ))
      }
    case _ =>
  }

  private def mayBeIn(create: V2CreateTablePlan): Boolean = {
    val columns = create match {
      case plan: CreateTable => plan.columns
      case plan: ReplaceTable => plan.columns
      case _ => Nil
    }
    columns.exists(_.identityColumnSpec.nonEmpty) ||
    create.partitioning.exists(_.isInstanceOf[ClusterByTransform])
  }

  private def nameOf(create: V2CreateTablePlan): String = create.name match {
    case UnresolvedIdentifier(parts, _) => shown(parts)
    case other => other.nodeName
  }

  private def instead(clause: List[Token]): String = clause match {
    case Word("CLUSTER") :: _ =>
      "The rows of a file are in the order of the record key, and WITH BUCKETS n says which share a " +
        "file."
    case _ => "hudilite makes no numbers. Give the value in each INSERT."
  }

  /** Finds the clauses, those of columns inside of parentheses and the other one outside. */
  @tailrec
  private def clauses(
      tokens: List[Token],
      depth: Int,
      inQuery: Boolean,
      found: List[List[Token]] = Nil
  ): List[List[Token]] = tokens match {
    case Nil => found.reverse
    case Word("GENERATED") :: Word("ALWAYS") :: Word("AS") :: Word("IDENTITY") :: rest
        if depth == 1 =>
      val (clause, after) = identity(tokens.take(4), rest)
      clauses(after, depth, inQuery, clause :: found)
    case Word("GENERATED") :: Word("BY") :: Word("DEFAULT") :: Word("AS") :: Word(
          "IDENTITY"
        ) :: rest
        if depth == 1 =>
      val (clause, after) = identity(tokens.take(5), rest)
      clauses(after, depth, inQuery, clause :: found)
    case Word("CLUSTER") :: Word("BY") :: Group(inside, after) if depth == 0 && !inQuery =>
      clauses(after, depth, inQuery, (tokens.take(2) ++ inside) :: found)
    case Word("(") :: rest => clauses(rest, depth + 1, inQuery, found)
    case Word(")") :: rest => clauses(rest, depth - 1, inQuery, found)
    case Word("AS" | "SELECT" | "FROM" | "VALUES") :: rest if depth == 0 =>
      clauses(rest, depth, inQuery = true, found)
    case _ :: rest => clauses(rest, depth, inQuery, found)
  }

  private def identity(begin: List[Token], rest: List[Token]): (List[Token], List[Token]) =
    rest match {
      case Group(inside, after) => (begin ++ inside, after)
      case after => (begin, after)
    }

  /** Tokens on one line, with a space where there were spaces, line ends or comments. */
  private def text(tokens: List[Token]): String = tokens match {
    case Nil => ""
    case first :: rest =>
      tokens.zip(rest).foldLeft(first.getText) { case (line, (before, token)) =>
        val isNext = token.getStartIndex == before.getStopIndex + 1 || word(token) == "," ||
          word(token) == ")"
        line + (if (isNext) "" else " ") + token.getText
      }
  }

  /** Tokens in parentheses, these included, and the tokens after them. */
  private object Group {
    def unapply(tokens: List[Token]): Option[(List[Token], List[Token])] =
      tokens.headOption.filter(word(_) == "(").map { _ =>
        val depths = tokens.scanLeft(0) { (depth, token) =>
          word(token) match {
            case "(" => depth + 1
            case ")" => depth - 1
            case _ => depth
          }
        }.tail
        tokens.splitAt(depths.indexOf(0) + 1)
      }
  }
}
