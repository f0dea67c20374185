package hudilite.format

import java.nio.charset.StandardCharsets.UTF_8

import hudilite.format.TableConfig.Key

/** A checksum over the facts that decide where a row lies and what its columns are; Hudi's own
  * covers the table's name alone. Stock writers keep it with every key that they do not know, and
  * change none of these facts; stock's RENAME drops all keys of ours: the table is stock's then. */
private[format] object FactsChecksum {
  private val covered = Set(
    Key.recordKeyFields,
    Key.partitionFields,
    Key.createSchema,
    Key.hiveStyle,
    Key.urlEncode
  )

  /** CRC-32 over the lines `key=value` of the facts that it covers, in the order of their keys. */
  def apply(properties: Map[String, String]): String = {
    val lines = properties.toVector.sorted.collect {
      case (key, value) if covered(key) || isOurs(key) => s"$key=$value\n"
    }
    Crc.of(lines.mkString.getBytes(UTF_8)).toString
  }

  /** A table without any key of ours was made by stock Hudi and has none.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def check(properties: Map[String, String], basePath: String): Unit = {
    val stored = properties.get(Key.ownChecksum)
    val expected = FactsChecksum(properties)
    if (stored.fold(properties.keys.exists(isOurs))(_ != expected))
      throw PropertiesText.corrupt(
        basePath,
        s"its ${Key.ownChecksum} is ${stored.getOrElse("missing")}, but its facts give $expected"
      )
  }

  private def isOurs(key: String) = key.startsWith(Key.ours) && key != Key.ownChecksum
}
