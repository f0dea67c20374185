package hudilite.spark

import org.apache.spark.sql.SparkSessionExtensions

import hudilite.spark.parse.HudiliteParser

/** Session extension beside [[HudiliteExtensions]] for a session that also has extensions of other
  * formats: the last of `spark.sql.extensions`. The parser of the last extension reads a statement
  * first, so hudilite's tables get the statements that Delta's and Iceberg's parsers know, too, such
  * as VACUUM. Statements about other tables are passed on to these parsers. */
final class HudiliteCommands extends (SparkSessionExtensions => Unit) {

  override def apply(extensions: SparkSessionExtensions): Unit =
    extensions.injectParser((_, delegate) => new HudiliteParser(delegate))
}
