package hudilite.spark.plan

import scala.jdk.CollectionConverters._

import org.antlr.v4.runtime.misc.Interval
import org.antlr.v4.runtime.{CharStream, CharStreams, CodePointCharStream, IntStream, Token}
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer

/** Tokens of a SQL text from Spark's own lexer, without comments and white space. */
private[spark] object SqlTokens {

  /** Returns the tokens of a text.
    * @param sqlText statement or script
    * @return tokens in order; their positions count code points, as Spark's origins do */
  def of(sqlText: String): IndexedSeq[Token] =
    lexer(sqlText).getAllTokens.asScala.toIndexedSeq.filter(_.getChannel == Token.DEFAULT_CHANNEL)

  /** Returns the first token of a text, without reading the others; at the end of a text without
    * tokens it is EOF. */
  def first(sqlText: String): Token = {
    val found = lexer(sqlText)
    Iterator.continually(found.nextToken()).dropWhile { token =>
      token.getChannel != Token.DEFAULT_CHANNEL && token.getType != Token.EOF
    }.next()
  }

  private def lexer(sqlText: String): SqlBaseLexer = {
    val made = new SqlBaseLexer(new UpperCaseChars(CharStreams.fromString(sqlText)))
    made.removeErrorListeners()
    made
  }

  /** Stream of upper-case characters, because Spark's lexer knows keywords in upper case only; the
    * text of a token stays as written. */
  final private class UpperCaseChars(text: CodePointCharStream) extends CharStream {
    override def consume(): Unit = text.consume()
    override def getSourceName: String = text.getSourceName
    override def index(): Int = text.index()
    override def mark(): Int = text.mark()
    override def release(marker: Int): Unit = text.release(marker)
    override def seek(where: Int): Unit = text.seek(where)
    override def size(): Int = text.size()
    override def getText(interval: Interval): String = text.getText(interval)

    override def LA(offset: Int): Int = text.LA(offset) match {
      case end @ (0 | IntStream.EOF) => end
      case char => Character.toUpperCase(char)
    }
  }
}
