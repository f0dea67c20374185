package hudilite.timeline

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

import org.apache.hadoop.fs.Path

import hudilite.format.Crc

/** A checksum that the metadata of a commit carries about its own text, in a field of its own: other
  * readers pass it over, and a writer that renders the commit anew, as stock Hudi's downgrade does,
  * drops it. Commits without one count as they are. */
private[timeline] object CommitChecksum {

  /** Name of the field. */
  val key = "hudilite.checksum"

  /** Its value while the checksum is taken. */
  val blank: String = "0" * 8
  private val stored = s""""$key"\\s*:\\s*"([0-9a-f]{8})"""".r

  /** Puts the checksum into a text that has the key with [[blank]] as its value. */
  def put(text: String): String =
    stored.findFirstMatchIn(text).fold(text) { found =>
      text.patch(found.start(1), of(text.getBytes(UTF_8)), blank.length)
    }

  /** Errors: HUDILITE_CORRUPT_TIMELINE when the bytes are not those that the checksum was put
    * into. */
  def check(bytes: Array[Byte], path: Path): Unit = {
    val text = new String(bytes, ISO_8859_1)
    stored.findFirstMatchIn(text).foreach { found =>
      val expected = of(text.patch(found.start(1), blank, blank.length).getBytes(ISO_8859_1))
      if (expected != found.group(1))
        throw Timeline.corrupt(path, s"its checksum is ${found.group(1)}, its bytes give $expected")
    }
  }

  private def of(bytes: Array[Byte]): String = f"${Crc.of(bytes)}%08x"
}
