package hudilite.timeline

import java.time.{ZoneId, ZoneOffset}

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class InstantTimeSuite extends AnyFunSuite {
  private val now = 1704164645678L
  private val text = "20240102030405678"

  // F22
  test("an instant is the clock in the zone of the timeline") {
    val shown = Map(
      "UTC" -> text,
      "America/Los_Angeles" -> "20240101190405678",
      "Asia/Tokyo" -> "20240102120405678"
    )
    shown.foreach { case (zone, instant) => assert(next(None, ZoneId.of(zone)) == instant) }
  }

  // F22
  test("an instant lies above the last one in every zone, also where the clock is put back") {
    val zone = ZoneId.of("America/Los_Angeles")
    val last = InstantTime.at(putBack - 1, zone)
    assert(last == "20241103015959999")
    assert(InstantTime.at(putBack, zone) == "20241103010000000")
    assert(InstantTime.next(putBack, zone, Some(last)) == "20241103020000000")
  }

  // F22
  test(
    "an instant stands for one moment, for two where the clock is put back, for none in a leap"
  ) {
    val zone = ZoneId.of("America/Los_Angeles")
    val hour = 3600000L
    assert(InstantTime.moments("20241103010000000", zone) == Seq(putBack - hour, putBack))
    assert(InstantTime.moments("20241103010000", zone) == Seq(putBack - hour, putBack))
    assert(InstantTime.moments("20240310023000000", zone).isEmpty)
    assert(InstantTime.moments(text, ZoneOffset.UTC) == Seq(now))
    assert(InstantTime.moments(Instant.bootstrap, zone).isEmpty)
  }

  /** Clocks in Los Angeles go from two to one: 2024-11-03 09:00 in UTC. */
  private val putBack = 1730624400000L

  private def next(last: Option[String], zone: ZoneId = ZoneOffset.UTC) =
    InstantTime.next(now, zone, last)

  test("a clock ahead of the timeline names the instant") {
    assert(next(Some("20240102030405677")) == text)
    assert(next(Some("20240102030405")) == text)
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
    cases.foreach { case (last, above) =>
      assert(next(Some(last)) == above)
      assert(above > last)
    }
  }

  // F22
  test("instants rise and have 17 digits under any clock") {
    val seed = sys.env.get("HUDILITE_SEED").fold(System.nanoTime)(_.toLong)
    info(s"HUDILITE_SEED=$seed")
    val random = new Random(seed)
    (1 to 20000).foldLeft(Option.empty[String]) { (last, _) =>
      val clock = random.between(-62135596800000L, 250000000000000L) >> random.nextInt(20)
      val next = InstantTime.next(clock.max(0L), ZoneOffset.UTC, last.filter(_ < "9"))
      assert(next.length == 17 && next.forall(_.isDigit) && last.filter(_ < "9").forall(_ < next))
      Some(next)
    }
  }
}
