package hudilite.timeline

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

import scala.util.matching.Regex

import org.apache.hadoop.fs.Path

import hudilite.format.Crc

/** Checksum of a commit's metadata, stored within it: in a field of the JSON, or in an entry of an
  * Avro file's header. Other readers ignore it. A writer that renders the commit again, as stock
  * Hudi's upgrade and downgrade do, drops it. Commits without a checksum are accepted without a
  * check. */
private[hudilite] object CommitChecksum {

  /** Name of the field, and of the entry. */
  val key = "hudilite.checksum"

  /** Value while the checksum is computed. */
  val blank: String = "0" * 8
  private val inJson = s""""$key"\\s*:\\s*"([0-9a-f]{8})"""".r

  /** Entry in the header of an Avro file: each text follows its length, as a zigzag number. */
  private val inHeader = {
    def length(text: String) = f"\\x${2 * text.length}%02x"
    s"${length(key)}\\Q$key\\E${length(blank)}([0-9a-f]{8})".r
  }

  /** Puts the checksum into a JSON in which the field has [[blank]] as its value. */
  def put(text: String): String =
    inJson.findFirstMatchIn(text).fold(text) { found =>
      text.patch(found.start(1), of(text.getBytes(UTF_8)), blank.length)
    }

  /** Puts the checksum into an Avro file whose header has [[blank]] as its value. */
  def putInFile(bytes: Array[Byte]): Array[Byte] = {
    val text = new String(bytes, ISO_8859_1)
    inHeader.findFirstMatchIn(text).fold(bytes) { found =>
      text.patch(found.start(1), of(bytes), blank.length).getBytes(ISO_8859_1)
    }
  }

  /** Whether the completed file of a commit contains a checksum, as those do that hudilite writes. */
  def isIn(bytes: Array[Byte]): Boolean = new String(bytes, ISO_8859_1).contains(key)

  /** Checks the bytes of a JSON against their checksum, if they contain one.
    * Errors: HUDILITE_CORRUPT_TIMELINE if the bytes were changed. */
  def check(bytes: Array[Byte], path: Path): Unit = check(bytes, inJson, path)

  /** Checks the bytes of an Avro file against their checksum, if its header contains one.
    * Errors: HUDILITE_CORRUPT_TIMELINE if the bytes were changed. */
  def checkFile(bytes: Array[Byte], path: Path): Unit = check(bytes, inHeader, path)

  private def check(bytes: Array[Byte], stored: Regex, path: Path): Unit = {
    val text = new String(bytes, ISO_8859_1)
    stored.findFirstMatchIn(text).foreach { found =>
      val expected = of(text.patch(found.start(1), blank, blank.length).getBytes(ISO_8859_1))
      if (expected != found.group(1))
        throw Timeline.corrupt(path, s"its checksum is ${found.group(1)}, its bytes give $expected")
    }
  }

  private def of(bytes: Array[Byte]): String = f"${Crc.of(bytes)}%08x"
}
