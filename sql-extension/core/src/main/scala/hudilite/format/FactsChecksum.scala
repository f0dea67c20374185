package hudilite.format

import java.nio.charset.StandardCharsets.UTF_8

import hudilite.format.TableConfig.Key

/** Checksum over the table properties that decide in which file group a row is and what the columns
  * are; Hudi's own checksum covers only the table's name. Writers of stock Hudi keep it, as they
  * keep every key that they do not know, and change none of the covered properties. Stock Hudi's
  * RENAME drops all `hudilite.*` keys: after that it is a table of stock Hudi. */
private[format] object FactsChecksum {
  private val covered = Set(
    Key.recordKeyFields,
    Key.partitionFields,
    Key.createSchema,
    Key.hiveStyle,
    Key.urlEncode
  )

  /** Returns the CRC-32 over the lines `key=value` of the covered properties, in the order of their
    * keys. */
  def apply(properties: Map[String, String]): String = {
    val lines = properties.toVector.sorted.collect {
      case (key, value) if covered(key) || isOurs(key) || DateFolderFacts.names.contains(key) =>
        s"$key=$value\n"
    }
    Crc.of(lines.mkString.getBytes(UTF_8)).toString
  }

  /** Returns the checksum as a property, None for a table without any `hudilite.*` key. */
  def stored(properties: Map[String, String]): Option[(String, String)] =
    Option.when(properties.keys.exists(isOurs))(Key.ownChecksum -> FactsChecksum(properties))

  /** Checks the stored checksum. A table without any `hudilite.*` key was created by stock Hudi and
    * has no checksum.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def check(properties: Map[String, String], file: PropertiesFile): Unit = {
    val stored = properties.get(Key.ownChecksum)
    val expected = FactsChecksum(properties)
    if (stored.fold(properties.keys.exists(isOurs))(_ != expected))
      throw file.corrupt(
        s"its ${Key.ownChecksum} is ${stored.getOrElse("missing")}, but its facts give $expected"
      )
  }

  private def isOurs(key: String) = key.startsWith(Key.ours) && key != Key.ownChecksum
}
