package hudilite.timeline

import java.util.TimeZone

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class InstantTimeSuite extends AnyFunSuite {
  private val now = 1704164645678L
  private val text = "20240102030405678"

  // F22
  test("an instant is the clock in UTC whatever the default time zone") {
    val zone = TimeZone.getDefault
    try
      Seq("UTC", "America/New_York", "Asia/Kolkata").foreach { id =>
        TimeZone.setDefault(TimeZone.getTimeZone(id))
        assert(InstantTime.next(now, None) == text)
      }
    finally TimeZone.setDefault(zone)
  }

  test("a clock ahead of the timeline names the instant") {
    assert(InstantTime.next(now, Some("20240102030405677")) == text)
    assert(InstantTime.next(now, Some("20240102030405")) == text)
  }

  // F22
  test("a clock at or behind the last instant gives the next millisecond") {
    val cases = Seq(
      text -> "20240102030405679",
      "20991231235959999" -> "21000101000000000",
      "20240228235959999" -> "20240229000000000",
      "20991231235959" -> "20991231235959000",
      "29991399999999999" -> "29991400000000000",
      "99991231235959999" -> "99991231235960000"
    )
    cases.foreach { case (last, next) =>
      assert(InstantTime.next(now, Some(last)) == next)
      assert(next > last)
    }
  }

  // F22
  test("instants rise and have 17 digits under any clock") {
    val seed = sys.env.get("HUDILITE_SEED").fold(System.nanoTime)(_.toLong)
    info(s"HUDILITE_SEED=$seed")
    val random = new Random(seed)
    (1 to 20000).foldLeft(Option.empty[String]) { (last, _) =>
      val clock = random.between(-62135596800000L, 250000000000000L) >> random.nextInt(20)
      val next = InstantTime.next(clock.max(0L), last.filter(_ < "9"))
      assert(next.length == 17 && next.forall(_.isDigit) && last.filter(_ < "9").forall(_ < next))
      Some(next)
    }
  }
}
