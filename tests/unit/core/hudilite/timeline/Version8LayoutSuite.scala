package hudilite.timeline

import org.scalatest.funsuite.AnyFunSuite

class Version8LayoutSuite extends AnyFunSuite {
  private val t = "20240102030405678"
  private val c = "20240102030409001"

  private def completed(action: String, completion: Option[String] = Some(c)) =
    Instant(t, action, Instant.Completed, completion)

  // F39
  test("the file names of versions 8 and 9 are read and written back") {
    val names = Seq(
      s"$t.commit.requested" -> Instant(t, "commit", Instant.Requested),
      s"$t.inflight" -> Instant(t, "commit", Instant.Inflight),
      s"${t}_$c.commit" -> completed("commit"),
      s"$t.replacecommit.requested" -> Instant(t, "replacecommit", Instant.Requested),
      s"$t.clustering.requested" -> Instant(t, "clustering", Instant.Requested),
      s"$t.clustering.inflight" -> Instant(t, "clustering", Instant.Inflight),
      s"${t}_$c.replacecommit" -> completed("replacecommit"),
      s"$t.savepoint.inflight" -> Instant(t, "savepoint", Instant.Inflight),
      s"${t}_$c.savepoint" -> completed("savepoint"),
      s"${t}_$c.clean" -> completed("clean"),
      s"${t}_$c.rollback" -> completed("rollback"),
      s"${t}_$c.restore" -> completed("restore"),
      s"${t}_$c.indexing" -> completed("indexing"),
      s"$t.commit" -> completed("commit", None),
      s"00000000000001_$c.commit" ->
        Instant("00000000000001", "commit", Instant.Completed, Some(c))
    )
    names.foreach { case (name, instant) =>
      assert(Version8Layout.parse(name).contains(instant), name)
      assert(Version8Layout.fileName(instant) == name)
      assert(
        Version8Layout.mayBeCompletedWrite(name) ==
          (instant.isWrite && instant.state == Instant.Completed),
        name
      )
    }
  }

  // F38, F39
  test("any other name is no instant") {
    Seq(
      "history",
      "hoodie.properties",
      s".${t}_$c.commit.crc",
      s"${t}_$c.commit.requested",
      s"${t}_$c.inflight",
      s"${t}_$c.clustering",
      s"$t.clustering",
      s"${t}_.commit",
      s"_$c.commit",
      s"${t}_${c}_$c.commit",
      s"${t}__$c.commit",
      s"${t}_2024.commit",
      s"${t}-$c.commit",
      s"${t}_$c.commit~",
      s"${t}_${c}commit",
      s"${t}_$c",
      s"${t}_$c.",
      s"${t}_$c.COMMIT",
      "_.commit",
      ".commit",
      ""
    ).foreach(name => assert(Version8Layout.parse(name).isEmpty, name))
  }

  test("times of completion do not order instants") {
    val later = "20240102030405679"
    val names = Seq(s"${later}_$t.commit", s"${t}_$c.commit", s"$t.inflight")
    val sorted = names.flatMap(Version8Layout.parse(_)).sorted(Version8Layout.order)
    assert(sorted.map(Version8Layout.fileName) == names.reverse)
  }

  test("only the timeline lies elsewhere than in version 6") {
    assert(Version8Layout.timeline == ".hoodie/timeline")
    assert(Version8Layout.properties == Version6Layout.properties)
    assert(Version8Layout.commits == Version6Layout.commits)
    assert(Version8Layout.version != Version6Layout.version)
  }
}
