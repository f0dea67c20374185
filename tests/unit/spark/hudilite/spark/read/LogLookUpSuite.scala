package hudilite.spark.read

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.types.{DataType, IntegerType, LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.{LogFileName, MergeOrder}
import hudilite.view.LogFile

/** Which log files a look-up of one key needs. */
class LogLookUpSuite extends AnyFunSuite {
  private val lookUp = LogLookUp("k", IntegerType, LogKeys.hash(7))

  private def logs(test: String, count: Int, millis: Long = 1L): Seq[LogFile] =
    (1 to count).map { n =>
      val name = LogFileName(test, "20240101000000000", n, "0-1-0")
      LogFile(new Path(s"file:/t/${name.text}"), 10L, name, modifiedMillis = millis)
    }

  private def keys(instant: String, keys: Int*): Option[LogKeys] =
    Some(LogKeys(arePlain = true, Seq(instant), keys.map(LogKeys.hash(_)).sorted.toArray))

  private def needed(of: Seq[LogFile], read: Option[LogKeys]*): Seq[Int] =
    lookUp.needed(of)(log => read(log.name.version - 1)).map(_.name.version)

  test("log files with the key are needed") {
    val three = Seq(keys("1", 1, 7), keys("2"), keys("3", 7))
    assert(needed(logs("some", 3), three: _*) == Seq(1, 3))
    assert(needed(logs("none", 2), keys("1", 6), keys("2", 8)) == Nil)
  }

  test("all are needed beside one whose blocks change what others mean") {
    val read = Seq(keys("1", 6), Some(LogKeys.notPlain))
    assert(needed(logs("command", 2), read: _*) == Seq(1, 2))
  }

  test("all are needed if one commit has blocks in several of them") {
    val read = Seq(keys("1", 6), keys("2", 7), keys("1", 7))
    assert(needed(logs("shared", 3), read: _*) == Seq(1, 2, 3))
  }

  test("all are needed if the keys of one depend on the state of the table") {
    assert(needed(logs("state", 2), keys("1", 6), None) == Seq(1, 2))
    assert(needed(logs("state", 2), keys("1", 6), keys("2", 6)) == Nil)
  }

  test("keys are read once, unless the file has another time") {
    assert(needed(logs("time", 1), keys("1", 6)) == Nil)
    assert(needed(logs("time", 1), keys("1", 7)) == Nil)
    assert(needed(logs("time", 1, millis = 2L), keys("1", 7)) == Seq(1))
  }

  test("a number has the hash of its text, and other texts have none") {
    for (of <- Seq[DataType](IntegerType, LongType)) {
      assert(LogKeys.hash("-7", of).contains(LogKeys.hash(-7)))
      assert(LogKeys.hash(-7) == LogKeys.hash(-7L))
      assert(Seq("07", "x", "", "+7", "9223372036854775808").forall(LogKeys.hash(_, of).isEmpty))
    }
    val text = UTF8String.fromString("é")
    assert(LogKeys.hash("é", StringType).contains(LogKeys.hash(text)))
  }

  test(
    "the key of a query is the typed column, or the record key if that follows from the columns"
  ) {
    def of(key: String, rule: Option[VirtualKeys], ddl: String, values: Any*) = {
      val merging = LogMerging(MergeOrder.CommitTime, Nil, key, None)
      LogLookUp.of(merging, rule, KeyCondition(StructType.fromDDL(ddl), values))
    }
    val number = LogLookUp("k", LongType, LogKeys.hash(5L))
    assert(of("k", None, "k BIGINT", 5L).contains(number))
    val record = "_hoodie_record_key"
    val two = VirtualKeys(Seq("k", "j"), complex = true)
    val hash = LogKeys.hash(UTF8String.fromString("k:5,j:a,b"))
    val values = Seq[Any](5L, UTF8String.fromString("a,b"))
    val parts = StructType.fromDDL("k BIGINT, j STRING")
    assert(of(record, Some(two), "k BIGINT, j STRING", values: _*)
      .contains(LogLookUp(record, StringType, hash, parts)))
    val empty = UTF8String.fromString("")
    assert(of(record, Some(two), "k STRING, j STRING", empty, empty).isEmpty, "no row has it")
    assert(of(record, None, "k DATE", 5).isEmpty)
  }
}
