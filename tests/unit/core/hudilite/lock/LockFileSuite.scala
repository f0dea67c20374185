package hudilite.lock

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException

/** The bytes of the lock file are those of stock Hudi. */
class LockFileSuite extends AnyFunSuite {
  private val owner = "6f1f2c7a-0d1e-4a52-9d6a-0f4ff0e0c001"
  private val path = new Path("table_lock.json")

  private def parsed(text: String) = LockFile.parse(text.getBytes(UTF_8), path)

  // Written by stock Hudi 1.2.0: StorageLockFile.toByteArray.
  test("the content is written as stock Hudi writes it") {
    val stock = s"""{"expired":false,"validUntil":1795555776625,"owner":"$owner"}"""
    val lock = LockFile(expired = false, 1795555776625L, owner)
    assert(new String(lock.bytes, UTF_8) == stock)
    assert(parsed(stock) == lock)
    assert(new String(lock.released.bytes, UTF_8) == stock.replace("false", "true"))
  }

  test("fields may be in any order and there may be others") {
    val other = s"""{"owner": "x", "more": {"a": 1}, "validUntil": 5, "expired": true}"""
    assert(parsed(other) == LockFile(expired = true, 5L, "x"))
  }

  test("a file without one of the fields is damaged") {
    val texts = Seq(
      """{"validUntil":1,"owner":"x"}""",
      """{"expired":false,"owner":"x"}""",
      """{"expired":false,"validUntil":1}""",
      """{"expired":"no","validUntil":1,"owner":"x"}""",
      ""
    )
    for (text <- texts)
      assert(
        intercept[HudiliteException](parsed(text)).condition == "HUDILITE_CORRUPT_TIMELINE",
        text
      )
  }

  test("a lock is held half a second longer than it is valid, unless it was given back") {
    val lock = LockFile(expired = false, 1000L, owner)
    assert(lock.isHeld(1500L) && !lock.isHeld(1501L) && !lock.released.isHeld(0L))
  }
}
