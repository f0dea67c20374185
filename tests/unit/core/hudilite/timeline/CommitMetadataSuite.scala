package hudilite.timeline

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException
import hudilite.io.TempFolder.bytes

class CommitMetadataSuite extends AnyFunSuite {
  private val path = new Path("/t/.hoodie/20240102030405678.commit")
  private val stat = WriteStat(
    "00000003-2b39-4e88-92e9-2aa42bf62b9c-0",
    "p=a/00000003-2b39-4e88-92e9-2aa42bf62b9c-0_1-2-3_20240102030405678.parquet",
    "20240101000000000",
    Some("old.parquet"),
    "p=a",
    10,
    3,
    4,
    2,
    1000,
    1001,
    writeErrors = 5
  )
  private val metadata = CommitMetadata(
    "UPSERT",
    """{"type":"record","name":"ü"}""",
    Seq(stat, stat.copy(path = "z.parquet", partitionPath = "", prevBaseFile = None)),
    Map("p=b" -> Seq("id1", "id2")),
    Map("checkpoint" -> "42")
  )

  private def parse(text: String): CommitMetadata = parse(bytes(text))

  private def parse(content: Array[Byte]): CommitMetadata =
    Version6Layout.codec.decodeCommit(content, path)

  private def reason(text: String): String = {
    val e = intercept[HudiliteException](parse(text))
    assert(e.condition == "HUDILITE_CORRUPT_TIMELINE" && e.parameters("path") == path.toString)
    assert(e.parameters("fix").nonEmpty)
    e.parameters("reason")
  }

  test("what is written is read back") {
    val back = parse(metadata.toJson)
    assert(back.stats.toSet == metadata.stats.toSet)
    assert(back.copy(stats = metadata.stats) == metadata)
  }

  test("a write stat holds every field that stock Hudi writes") {
    val node = new ObjectMapper().readTree(metadata.toJson)
    val fields = node.at("/partitionToWriteStats/p=a/0").properties.toString
    Seq("fileId", "path", "cdcStats", "prevCommit", "prevBaseFile", "numWrites", "numDeletes")
      .++(Seq("numUpdateWrites", "numInserts", "totalWriteBytes", "totalWriteErrors", "tempPath"))
      .++(
        Seq("partitionPath", "totalLogRecords", "totalLogFilesCompacted", "totalLogSizeCompacted")
      )
      .++(Seq("totalUpdatedRecordsCompacted", "totalLogBlocks", "totalCorruptLogBlock"))
      .++(Seq("numUpdates", "totalValidLogBlocks", "totalLogBlocksSize", "totalLogReadTimeMs"))
      .++(Seq("totalLogBlocksScanTimeMs", "totalRollbackBlocks", "fileSizeInBytes"))
      .++(Seq("minEventTime", "maxEventTime", "runtimeStats"))
      .foreach(field => assert(fields.contains(s"$field="), field))
    assert(!node.get("compacted").asBoolean && node.get("operationType").asText == "UPSERT")
    assert(node.at("/extraMetadata/schema").asText == metadata.schema)
    assert(node.at("/partitionToReplaceFileIds/p=b/1").asText == "id2")
  }

  test("the commit of a compaction is marked as compacted") {
    Seq("COMPACT" -> true, "LOG_COMPACT" -> true, "UPSERT" -> false, "" -> false).foreach {
      case (operation, isCompacted) =>
        val of = metadata.copy(operationType = operation)
        assert(new ObjectMapper().readTree(of.toJson).get("compacted").asBoolean == isCompacted)
        assert(CommitAvro.record(of, Instant.commit).get("compacted") == isCompacted)
    }
  }

  test("a write that hides no file group is a deltacommit of a merge-on-read table") {
    assert(Instant.ofWrite(isMergeOnRead = true) == "deltacommit")
    assert(Instant.ofWrite(isMergeOnRead = false) == "commit")
  }

  test("a commit names no replaced file groups when there are none") {
    assert(!metadata.copy(replacedFileIds = Map.empty).toJson.contains("partitionToReplaceFileIds"))
  }

  // F36
  test("the least that stock Hudi accepts is enough, and unknown fields are passed over") {
    val least = parse(
      """{"partitionToWriteStats":{"p=a":[{"fileId":"f","path":"p=a/f.parquet","new":[1]}]},
        |"extraMetadata":{"schema":"s","n":null},"future":{"x":1}}""".stripMargin
    )
    assert(least.schema == "s" && least.extra.isEmpty && least.operationType == "")
    assert(
      least.stats.map(s => (s.fileId, s.partitionPath, s.prevCommit)) == Seq(("f", "p=a", "null"))
    )
  }

  // F34, F35
  test("an empty, cut or other file is refused with its path") {
    val whole = metadata.toJson
    assert(reason("") == "the file is empty")
    (1 until whole.length).foreach(n => assert(reason(whole.take(n)).nonEmpty))
    Seq(
      "[]",
      "null",
      "1",
      "Obj\u0001",
      "{}",
      whole + "x",
      whole + "{}",
      """{"partitionToWriteStats":1}"""
    )
      .foreach(text => assert(reason(text).nonEmpty))
    assert(reason("""{"partitionToWriteStats":{"":[{"path":"x"}]}}""").contains("fileId"))
  }

  // F35, F91
  test("deep nesting is refused without running out of stack") {
    val deep = "{\"partitionToWriteStats\":" * 100000
    assert(reason(deep).nonEmpty)
    assert(reason("{\"a\":" + "[" * 100000 + "]" * 100000 + "}").nonEmpty)
  }

  // F35
  test("any flipped byte gives the same metadata or the one error") {
    val whole = bytes(metadata.toJson)
    val known = parse(whole).copy(extra = Map.empty)
    whole.indices.foreach { i =>
      val damaged = whole.updated(i, (whole(i) ^ 0x15).toByte)
      try assert(parse(damaged).copy(extra = Map.empty) == known, i)
      catch { case e: HudiliteException => assert(e.condition == "HUDILITE_CORRUPT_TIMELINE") }
    }
  }

  test("buckets conflict with their file groups and with nothing else") {
    val bucket = FileGroupRef.bucket("p=a", 3)
    assert(bucket.conflicts(FileGroupRef("p=a", stat.fileId)))
    assert(FileGroupRef("p=a", stat.fileId).conflicts(bucket))
    assert(bucket.conflicts(bucket))
    assert(!bucket.conflicts(FileGroupRef.bucket("p=a", 30)))
    assert(!bucket.conflicts(FileGroupRef.bucket("p=b", 3)))
    assert(!FileGroupRef.bucket("30", 11).conflicts(FileGroupRef.bucket("301", 1)))
    assert(metadata.fileGroups.size == 4)
  }
}
