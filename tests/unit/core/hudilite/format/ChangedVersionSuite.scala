package hudilite.format

import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.TableVersion.{Eight, Nine, Six}

/** Properties of a table before and after a change of its version. */
class ChangedVersionSuite extends AnyFunSuite {
  private val initial = "hoodie.table.initial.version"
  private val legacy = "hoodie.table.legacy.payload.class"
  private val folder = "org.apache.hudi.common.model"

  private def table(ordering: Seq[String], version: TableVersion): TableConfig =
    TableConfig.forCreate("t", None, Seq("k"), Seq("p"), ordering, "{}", IndexKind.Bloom, "u",
      version)

  private def changed(config: TableConfig, version: TableVersion): Map[String, String] =
    ChangedVersion.of(config, version).properties

  test("an upgrade makes the properties of a new table, and notes where it came from") {
    Seq(Seq("ts", "n") -> "DefaultHoodieRecordPayload",
      Nil -> "OverwriteWithLatestAvroPayload").foreach {
      case (ordering, payload) =>
        val found = changed(table(ordering, Six), Nine)
        assert(found == table(ordering, Nine).properties ++
          Map(initial -> "6", legacy -> s"$folder.$payload",
            "hoodie.archivelog.folder" -> "archived"))
    }
  }

  test("a downgrade makes the properties of a new table of version 6") {
    Seq(Seq("ts"), Seq("ts", "n"), Nil).foreach { ordering =>
      val found = changed(table(ordering, Nine), Six)
      assert(found - initial == table(ordering, Six).properties ++
        Map("hoodie.archivelog.folder" -> "history"))
    }
  }

  test("the way to version 9 and back changes nothing but the initial version") {
    for {
      ordering <- Seq(Seq("ts"), Seq("ts", "n"), Nil)
      by <- Seq(Eight, Nine)
      own = table(ordering, Six)
    } assert(changed(ChangedVersion.of(own, by), Six) == own.properties + (initial -> "6"))
  }

  test("version 8 has both the merge mode and the payload class") {
    val found = changed(table(Seq("ts"), Nine), Eight)
    assert(found("hoodie.record.merge.mode") == "EVENT_TIME_ORDERING")
    assert(found("hoodie.compaction.payload.class") == s"$folder.DefaultHoodieRecordPayload")
    assert(found("hoodie.record.merge.strategy.id") == "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5")
    assert(found("hoodie.table.precombine.field") == "ts" && found(initial) == "9")
  }

  test("the row that is written last still wins beside an ordering field") {
    val own = TableConfig(table(Seq("ts"), Six).properties +
      ("hoodie.compaction.payload.class" -> s"$folder.OverwriteWithLatestAvroPayload"))
    assert(own.orderingFields.isEmpty)
    val nine = ChangedVersion.of(own, Nine)
    assert(nine.properties("hoodie.record.merge.mode") == "COMMIT_TIME_ORDERING")
    assert(nine.properties("hoodie.table.ordering.fields") == "ts" && nine.orderingFields.isEmpty)
    val six = ChangedVersion.of(nine, Six)
    assert(six.orderingFields.isEmpty && six.properties == changed(own, Six) + (initial -> "6"))
  }

  test("a table that names only the class of its key generator gets the type, and keeps its keys") {
    val own = table(Nil, Six).properties - "hoodie.table.keygenerator.type"
    val found = ChangedVersion.of(TableConfig(own), Nine)
    assert(found.properties("hoodie.table.keygenerator.type") == "SIMPLE")
    assert(!found.properties.contains("hoodie.table.keygenerator.class"))
    assert(found.uuid == TableConfig(own).uuid)
  }

  test("properties that only stock Hudi knows are kept") {
    val own = TableConfig(table(Nil, Six).properties ++
      Map("hoodie.any" -> "x", "hoodie.archivelog.folder" -> "old"))
    val found = changed(own, Nine)
    assert(found("hoodie.any") == "x" && found("hoodie.archivelog.folder") == "old")
  }
}
