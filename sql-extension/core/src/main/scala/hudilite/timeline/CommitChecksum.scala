package hudilite.timeline

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

import org.apache.hadoop.fs.Path

import hudilite.format.Crc

/** Checksum of the text of a commit's metadata, stored in a field of that text. Other readers
  * ignore the field. A writer that renders the commit again, as stock Hudi's downgrade does, drops
  * it. Commits without a checksum are accepted without a check. */
private[hudilite] object CommitChecksum {

  /** Name of the field. */
  val key = "hudilite.checksum"

  /** Value of the field while the checksum is computed. */
  val blank: String = "0" * 8
  private val stored = s""""$key"\\s*:\\s*"([0-9a-f]{8})"""".r

  /** Puts the checksum into a text in which the field has [[blank]] as its value. */
  def put(text: String): String =
    stored.findFirstMatchIn(text).fold(text) { found =>
      text.patch(found.start(1), of(text.getBytes(UTF_8)), blank.length)
    }

  /** Checks the bytes of a completed file against their checksum, if they contain one.
    * Errors: HUDILITE_CORRUPT_TIMELINE if the bytes were changed. */
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
