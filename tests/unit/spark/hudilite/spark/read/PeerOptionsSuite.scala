package hudilite.spark.read

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.scalatest.funsuite.AnyFunSuite

class PeerOptionsSuite extends AnyFunSuite {

  private def read(options: (String, String)*): String = {
    val map = new CaseInsensitiveStringMap(options.toMap.asJava)
    PeerOptions.ofRead(options.head._1, map, "db.t").getOrElse(fail(s"no text for $options"))
  }

  private def typed(options: (String, String)*): String = read(options: _*).split("Type: ").last

  test("a read of changes becomes a call with the range of its options") {
    assert(typed("readChangeFeed" -> "true", "startingVersion" -> "0") ==
      "SELECT * FROM table_changes('db.t', 0)")
    assert(typed("startingVersion" -> " 2", "endingVersion" -> "5") ==
      "SELECT * FROM table_changes('db.t', 2, 5)")
    assert(typed("startingTimestamp" -> "2026-01-01", "endingTimestamp" -> "it's") ==
      "SELECT * FROM table_changes('db.t', 0) WHERE _commit_timestamp >= '2026-01-01' AND " +
      "_commit_timestamp <= 'it\\'s'")
    assert(typed("startingVersion" -> "latest") == "SELECT * FROM table_changes('db.t', 0)")
  }

  test("an option that goes with a path becomes a query of the table") {
    assert(typed("SNAPSHOT-ID" -> "7") == "SELECT * FROM db.t VERSION AS OF 7")
    assert(typed("as-of-timestamp" -> "7 OR true") ==
      "SELECT * FROM db.t TIMESTAMP AS OF timestamp_millis(0)")
    assert(typed("start-snapshot-id" -> "20260101000000000", "end-snapshot-id" -> "x") ==
      "SELECT * FROM hudi_table_changes('db.t', 'latest_state', '20260101000000000')")
  }

  test("changes of stock Hudi begin at an instant or at the first commit") {
    assert(PeerOptions.ofChanges(Some("0"), None, "hudilite.`/t`").endsWith(
      "hudilite_changes('hudilite.`/t`', 'earliest')"
    ))
    assert(PeerOptions.ofChanges(Some("20260101000000"), Some("20260102000000"), "t").endsWith(
      "hudilite_changes('t', '20260101000000', '20260102000000')"
    ))
  }

  test("a start of a stream is named by hudilite's words") {
    def start(key: String, value: String) = PeerOptions.ofStream(key, value, "start", "max")
    assert(start("startingVersion", "latest").contains("Write start = latest instead."))
    assert(start("stream-from-timestamp", "0").contains("Write start = earliest instead."))
    assert(start("startingTimestamp", "2026-01-01").exists(_.contains("instant")))
    assert(start("maxFilesPerTrigger", "9").contains("Write max instead."))
    assert(start("checkpoint", "9").isEmpty)
  }

  test("options of writers are known in any case, and others are not") {
    val note = PeerOptions.ofWrite("USERMETADATA", "a 'note'", "db.t")
    assert(note.exists(_.endsWith("CALL savepoint(table => 'db.t', comment => 'a \\'note\\'')")))
    assert(PeerOptions.ofWrite("snapshot-property.by", "x", "t").exists(_.contains("savepoint")))
    assert(PeerOptions.ofWrite("primaryKeys", "id", "t").isEmpty)
    assert(PeerOptions.ofNewTable("overwriteSchema").exists(_.contains("new table")))
  }
}
