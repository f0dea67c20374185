package hudilite.timeline

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}

import org.apache.avro.Schema
import org.apache.avro.file.CodecFactory
import org.apache.avro.generic.{GenericRecord, GenericRecordBuilder}
import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException

class Version8CodecSuite extends AnyFunSuite {
  private val t = "20240102030405678"
  private val path = new Path(s"/t/.hoodie/timeline/${t}_20240102030409001.commit")
  private val named6 = new Path(s"/t/.hoodie/timeline/$t.commit")

  private def stat(partition: String, fileId: String, before: Option[String]) = WriteStat(
    fileId,
    s"$partition/${fileId}_1-2-3_$t.parquet",
    before.getOrElse(WriteStat.noCommit),
    before.map(time => s"${fileId}_0-0-0_$time.parquet"),
    partition,
    numWrites = 7,
    numInserts = 4,
    numUpdateWrites = 2,
    numDeletes = 1,
    totalWriteBytes = 435001,
    fileSizeInBytes = 435000
  )

  private val commit = CommitMetadata(
    "UPSERT",
    """{"type":"record","name":"t_record","fields":[{"name":"é","type":"string"}]}""",
    Seq(stat("p=a", "f1", None), stat("p=a", "f2", Some("20240101000000000"))),
    extra = Map("stock.checkpoint" -> "5", "empty" -> "")
  )

  private val overwrite =
    commit.copy(operationType = "INSERT_OVERWRITE", replacedFileIds = Map("p=a" -> Seq("f0", "g")))

  private def decode(bytes: Array[Byte], at: Path = path): CommitMetadata =
    Version8Layout.codec.decodeCommit(bytes, at)

  private def fault(bytes: Array[Byte], at: Path = path): HudiliteException = {
    val e = intercept[HudiliteException](decode(bytes, at))
    assert(e.condition == "HUDILITE_CORRUPT_TIMELINE" && e.parameters("path") == at.toString)
    e
  }

  test("commits and replacecommits of stock Hudi are read, compressed or not") {
    for {
      metadata <- Seq(commit, overwrite)
      codec <- Seq(CodecFactory.nullCodec, CodecFactory.deflateCodec(6))
    } assert(decode(StockCommits.file(metadata, codec)) == metadata)
  }

  test("a commit without partitions, stats or extra metadata is read") {
    val empty = CommitMetadata("", "", Nil)
    assert(decode(StockCommits.file(empty)) == empty)
  }

  test("a writer with fewer fields, or with more, is understood") {
    val stat = """{"type":"record","name":"S","fields":[
      |{"name":"path","type":"string"},{"name":"fileId","type":"string"}]}""".stripMargin
    val schema = new Schema.Parser().parse(
      s"""{"type":"record","name":"C","fields":[
         |{"name":"unknown","type":{"type":"array","items":"bytes"}},
         |{"name":"partitionToWriteStats","type":{"type":"map","values":
         |{"type":"array","items":$stat}}}]}""".stripMargin
    )
    val item = schema.getField("partitionToWriteStats").schema.getValueType.getElementType
    val one = new GenericRecordBuilder(item).set("path", "a/b.parquet").set("fileId", "f").build
    val record = new GenericRecordBuilder(schema)
      .set("unknown", Nil.asJava)
      .set("partitionToWriteStats", Map("a" -> List(one).asJava).asJava)
      .build
    val read = decode(StockCommits.container(Seq(record)))
    val expected = WriteStat("f", "a/b.parquet", WriteStat.noCommit, None, "a", 0, 0, 0, 0, 0, 0)
    assert(read == CommitMetadata("", "", Seq(expected)))
    assert(fault(StockCommits.container(Seq(one))).parameters("reason").contains("missing"))
    assert(fault(StockCommits.container(Seq(record, record))).parameters("reason").contains("2"))
  }

  test("the rows that a writer could not write are read back") {
    val some = commit.copy(stats = commit.stats.map(_.copy(writeErrors = 3)))
    val bytes = Version8Layout.codec.encodeCommit(some.toJson, Instant.commit, path)
    assert(decode(bytes).stats.map(_.writeErrors) == Seq(3, 3))
  }

  test("a write stat without a file id is corrupt") {
    val anonymous = commit.stats.map(s => s.copy(fileId = Option.empty[String].orNull))
    val e = fault(StockCommits.file(commit.copy(stats = anonymous)))
    assert(e.parameters("reason") == "a write stat lacks fileId")
  }

  // Stock Hudi fails on JSON under such a name; a name without a time of completion is that of JSON.
  test("JSON is read only under a name without a time of completion, Avro only under another") {
    val json = commit.toJson.getBytes(UTF_8)
    assert(decode(json, named6) == commit)
    fault(json)
    fault(StockCommits.file(commit), named6)
    fault(Array.emptyByteArray)
  }

  test("the content of an inflight file is read") {
    val inflight = new Path(s"/t/.hoodie/timeline/$t.inflight")
    assert(decode(StockCommits.file(commit), inflight) == commit)
  }

  // F35
  test("a file that is cut at any byte is corrupt") {
    val whole = StockCommits.file(overwrite)
    (0 until whole.length).foreach(n => fault(whole.take(n)))
  }

  // F35
  test("a file with a turned bit in any byte is read or corrupt, and no other error comes out") {
    val whole = StockCommits.file(overwrite, CodecFactory.deflateCodec(6))
    whole.indices.foreach { at =>
      val turned = whole.updated(at, (whole(at) ^ (1 << at % 8)).toByte)
      Try(decode(turned)) match {
        case Success(_) => ()
        case Failure(e: HudiliteException) => assert(e.condition == "HUDILITE_CORRUPT_TIMELINE")
        case Failure(e) => fail(s"byte $at", e)
      }
    }
  }

  private def encode(metadata: CommitMetadata, action: String = Instant.commit): Array[Byte] =
    Version8Layout.codec.encodeCommit(metadata.toJson, action, path)

  private def record(bytes: Array[Byte]): GenericRecord = AvroFile.records(bytes, path).head

  test("a commit is written with stock Hudi's schema and values, and read again") {
    Seq(commit -> Instant.commit, overwrite -> Instant.replaceCommit).foreach {
      case (metadata, action) =>
        val (ours, stocks) = (record(encode(metadata, action)), record(StockCommits.file(metadata)))
        assert(ours.getSchema == stocks.getSchema)
        assert(decode(encode(metadata, action)) == metadata)
        assert(ours.get("compacted") == false && Option(ours.get("version")).isEmpty)
    }
  }

  test("a commit of stock Hudi, written again, has the same schema and values") {
    val name = "20261126053507048_20261126053514007.commit"
    val bytes = getClass.getResourceAsStream(s"/stock-1.2.0/$name").readAllBytes
    val (stocks, ours) = (record(bytes), record(encode(decode(bytes))))
    assert(ours.getSchema.toString == stocks.getSchema.toString)
    def stats(of: GenericRecord) = of.get("partitionToWriteStats") match {
      case map: java.util.Map[_, _] =>
        map.asScala.toMap.map { case (partition, list) => partition.toString -> items(list) }
      case other => fail(s"$other")
    }
    def items(list: Any) = list match {
      case stats: java.util.List[_] => stats.asScala.map(values).toSet
      case other => fail(s"$other")
    }
    def values(stat: Any) = stat match {
      case stat: GenericRecord => stat.getSchema.getFields.asScala.map(_.name)
          .filter(_ != "runtimeStats") // how long it took to write the file
          .map(field => field -> Option(stat.get(field)).map(_.toString)).toMap
      case other => fail(s"$other")
    }
    assert(stats(ours) == stats(stocks) && stats(ours).size == 2)
    Seq("compacted", "extraMetadata", "version", "operationType")
      .foreach(field => assert(ours.get(field) == stocks.get(field), field))
  }

  test("a replacecommit that hides nothing has the schema of a replacecommit") {
    val written = record(encode(commit, Instant.replaceCommit))
    assert(written.getSchema.getName == "HoodieReplaceCommitMetadata")
    assert(written.get("partitionToReplaceFileIds").toString == "{}")
  }

  test("the bytes of a commit are a function of its metadata") {
    val shuffled =
      commit.copy(stats = commit.stats.reverse, extra = commit.extra.toSeq.reverse.toMap)
    assert(encode(commit).sameElements(encode(shuffled)))
    val header = new String(encode(commit), ISO_8859_1)
    assert(header.startsWith("Obj\u0001\u0004"), "two entries: the schema and the checksum")
  }

  // F35
  test("a changed byte of a written commit is found by its checksum, wherever it is") {
    val whole = encode(overwrite, Instant.replaceCommit)
    whole.indices.foreach { at =>
      val turned = whole.updated(at, (whole(at) ^ 1).toByte)
      Try(decode(turned)) match {
        case Failure(e: HudiliteException) => assert(e.condition == "HUDILITE_CORRUPT_TIMELINE")
        case Failure(e) => fail(s"byte $at", e)
        case Success(read) =>
          // Only the name of the checksum's entry says that there is one.
          assert(read == overwrite && isInKey(whole, at), s"byte $at")
      }
    }
  }

  private def isInKey(bytes: Array[Byte], at: Int): Boolean = {
    val key = new String(bytes, ISO_8859_1).indexOf(CommitChecksum.key)
    at >= key - 1 && at <= key + CommitChecksum.key.length + CommitChecksum.blank.length
  }

  test("a commit that another writer renders again has no checksum and is read") {
    val again = StockCommits.container(Seq(record(encode(commit))))
    assert(decode(again) == commit)
  }

  test("an inflight file names its writer and no files") {
    val inflight = Version8Layout.codec.encodeInflight(Map("hudilite.writer" -> "w"))
    val at = new Path(s"/t/.hoodie/timeline/$t.inflight")
    assert(
      decode(inflight, at) == CommitMetadata("", "", Nil, extra = Map("hudilite.writer" -> "w"))
    )
  }
}
