package hudilite.timeline

import org.scalatest.funsuite.AnyFunSuite

class Version6LayoutSuite extends AnyFunSuite {
  private val t = "20240102030405678"

  // F39
  test("the file names of version 6 are read and written back") {
    val names = Seq(
      s"$t.commit.requested" -> Instant(t, "commit", Instant.Requested),
      s"$t.inflight" -> Instant(t, "commit", Instant.Inflight),
      s"$t.commit" -> Instant(t, "commit", Instant.Completed),
      s"$t.replacecommit.inflight" -> Instant(t, "replacecommit", Instant.Inflight),
      s"$t.savepoint.inflight" -> Instant(t, "savepoint", Instant.Inflight),
      s"$t.clean" -> Instant(t, "clean", Instant.Completed),
      "00000000000001.commit" -> Instant("00000000000001", "commit", Instant.Completed)
    )
    names.foreach { case (name, instant) =>
      assert(Version6Layout.parse(name).contains(instant))
      assert(Version6Layout.fileName(instant) == name)
    }
  }

  // F38, F39
  test("any other name is no instant") {
    Seq(
      "hoodie.properties",
      s".$t.commit.crc",
      s".$t.commit.swp",
      s"$t.commit~",
      s"$t.commit.bak",
      s"$t.commit.inflight",
      s"$t.commit.requested.tmp",
      s"$t",
      s"$t.",
      s"${t}_20240102030406000.commit",
      s"$t.foo",
      s"x$t.commit",
      "2024010203040567.commit",
      "202401020304056789.commit",
      s"$t.COMMIT",
      s"$t.commit\n",
      "",
      ".hudilite",
      "_SUCCESS"
    ).foreach(name => assert(Version6Layout.parse(name).isEmpty, name))
  }

  test("states of one instant sort in the order of its life, instants by time") {
    val files =
      Seq(s"$t.commit", s"$t.inflight", "20230101000000000.commit", s"$t.commit.requested")
    val sorted = files.flatMap(Version6Layout.parse(_)).sorted(Version6Layout.order)
      .map(Version6Layout.fileName)
    assert(sorted == Seq(files(2), files(3), files(1), files(0)))
  }
}
