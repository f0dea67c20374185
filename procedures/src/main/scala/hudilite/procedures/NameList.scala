package hudilite.procedures

import org.apache.spark.sql.catalyst.parser.{CatalystSqlParser, ParseException}

/** Column names in a text, separated by commas. */
private[procedures] object NameList {
  private val quote = '`'

  /** Returns the parts of each name. Back-ticks quote a part, as in SQL. A name without them may
    * contain any character but a comma, and dots separate its parts.
    * @return None if a name is empty, or if back-ticks do not quote a part as a whole */
  def parse(text: String): Option[Seq[Seq[String]]] = {
    val names = split(text).map(name => if (name.contains(quote)) quoted(name) else plain(name))
    Option.when(names.forall(_.nonEmpty))(names.flatten)
  }

  /** Returns what is between the commas outside of back-ticks. A back-tick within back-ticks is
    * written twice, so that it ends the quotes and begins them again. */
  private def split(text: String): Seq[String] = {
    val quotes = text.scanLeft(0)((count, c) => if (c == quote) count + 1 else count)
    val commas = text.indices.filter(i => text(i) == ',' && quotes(i) % 2 == 0)
    (-1 +: commas).zip(commas :+ text.length).map { case (from, to) =>
      text.substring(from + 1, to).trim
    }
  }

  private def plain(name: String): Option[Seq[String]] =
    Option.when(name.nonEmpty)(name.split("\\.", -1).toSeq)

  private def quoted(name: String): Option[Seq[String]] =
    try Some(CatalystSqlParser.parseMultipartIdentifier(name)).filterNot(_.exists(_.isEmpty))
    catch { case _: ParseException => None }
}
