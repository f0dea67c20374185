package hudilite.spark.write

import java.nio.charset.StandardCharsets.US_ASCII
import java.util.Arrays

import org.apache.spark.unsafe.types.UTF8String

/** Values of `_hoodie_commit_seqno` in the rows that a task attempt writes: `instant_task_n`, with
  * n from 0 (task side). The digits are counted up where they are.
  * Source: hudi-format.md 4.4 */
final class SequenceNumbers(instant: String, task: Int) {
  private val digits = instant.length + 1 + task.toString.length + 1 // where n begins
  private var bytes = s"${instant}_${task}_${SequenceNumbers.beforeZero}".getBytes(US_ASCII)
  private var text = UTF8String.fromBytes(bytes)

  /** Returns the next value; the call after it changes the bytes of the text. */
  def next(): UTF8String = {
    var at = bytes.length - 1
    while (at >= digits && bytes(at) == '9') {
      bytes(at) = '0'
      at -= 1
    }
    if (at >= digits) bytes(at) = (bytes(at) + 1).toByte else lengthen()
    text
  }

  /** Makes 1000 of 000. */
  private def lengthen(): Unit = {
    bytes = Arrays.copyOf(bytes, bytes.length + 1)
    bytes(digits) = '1'
    bytes(bytes.length - 1) = '0'
    text = UTF8String.fromBytes(bytes)
  }
}

private object SequenceNumbers {
  private val beforeZero = ('0' - 1).toChar
}
