package hudilite.format

import java.io.ByteArrayInputStream
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.Properties

import scala.jdk.CollectionConverters._
import scala.util.Try

/** Text form of java.util.Properties, written in the order of the keys and without a date. */
private[format] object PropertiesText {
  private val header = "#Properties of a Hudi table, written by hudilite\n"
  private val shortEscapes = Map('\t' -> "\\t", '\n' -> "\\n", '\r' -> "\\r", '\f' -> "\\f")

  /** Parses keys and values, and does not trim them.
    * Errors: HUDILITE_CORRUPT_TIMELINE if the text is empty or malformed. */
  def parse(bytes: Array[Byte], file: PropertiesFile): Map[String, String] = {
    val properties = new Properties
    try properties.load(new ByteArrayInputStream(bytes))
    catch {
      case e: IllegalArgumentException =>
        throw file.corrupt(s"it is malformed (${e.getMessage})")
    }
    if (properties.isEmpty) throw file.corrupt("it is empty")
    properties.asScala.toMap
  }

  /** Returns the value of a key, None if the text lacks it or is malformed. */
  def lookUp(bytes: Array[Byte], key: String): Option[String] = {
    val properties = new Properties
    Try(properties.load(new ByteArrayInputStream(bytes))).toOption
      .flatMap(_ => Option(properties.getProperty(key)))
  }

  def render(properties: Map[String, String]): Array[Byte] = {
    val lines = properties.toVector.sortBy(_._1).map { case (key, value) =>
      s"${escaped(key, isKey = true)}=${escaped(value, isKey = false)}\n"
    }
    (header + lines.mkString).getBytes(ISO_8859_1)
  }

  private def escaped(text: String, isKey: Boolean): String =
    text.zipWithIndex.map { case (c, i) =>
      if (c == ' ') { if (isKey || i == 0) "\\ " else " " }
      else if ("\\:=#!".indexOf(c.toInt) >= 0) s"\\$c"
      else if (c >= ' ' && c <= '~') c.toString
      else shortEscapes.getOrElse(c, f"\\u${c.toInt}%04X")
    }.mkString
}
