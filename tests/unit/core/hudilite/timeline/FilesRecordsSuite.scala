package hudilite.timeline

import java.util.Arrays

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.commit.KeptFiles
import hudilite.error.HudiliteException
import hudilite.format.{HFile, LogBlock}
import hudilite.timeline.FilesRecords.File

/** Records of the list of files: stock Hudi's are decoded, and ours have the same bytes. */
class FilesRecordsSuite extends AnyFunSuite {
  private val path = new Path("/t/f.log")
  private val records = FilesRecords.of(KeptFiles.schema, path)

  private lazy val stock: Map[String, Array[Byte]] =
    HFile.read(LogBlock.read(KeptFiles.stock("files-block.log"), "f").head.content,
      "f").entries.toMap

  test("stock Hudi's records are decoded") {
    assert(records.decode(stock(FilesRecords.allPartitions)) ==
      Map("p=a" -> File(0, isDeleted = false), "p=b" -> File(0, isDeleted = false)))
    val files = records.decode(stock("p=a"))
    assert(files.size == 4 && files.forall(!_._2.isDeleted))
    assert(
      files("00000001-5e5b-478a-afa9-8cc008b18587-0_5-293-795_20261126100131701.parquet").size ==
        436499
    )
  }

  test("the same changes give records of the same length and content as stock Hudi's") {
    val changes = Seq("p=a", "p=b").map(p => p -> records.decode(stock(p))).toMap
    val encoded = records.encode(changes).toMap
    assert(encoded.keySet == stock.keySet)
    encoded.foreach { case (key, bytes) =>
      assert(
        bytes.length == stock(key).length && records.decode(bytes) == records.decode(stock(key))
      )
    }
  }

  test("the bytes of a record do not depend on the order of the files, and a deletion is one") {
    def encode(files: (String, File)*) =
      records.encode(Map("" -> files.toMap)).toMap.apply(".")
    val (one, two) =
      ("a.parquet" -> File(7, isDeleted = false), "b.parquet" -> FilesRecords.deleted)
    assert(Arrays.equals(encode(one, two), encode(two, one)))
    assert(records.decode(encode(one, two)) == Map(one, two))
    val bytes = encode("a.parquet" -> File(7, isDeleted = false))
    assert(bytes.toSeq == Seq[Byte](0, 0, 0, 0, 0, 0, 4, 2, 2, 18) ++ "a.parquet".getBytes.toSeq ++
      Seq[Byte](14, 0, 0, 0, 0, 0, 0))
  }

  test("what is no schema of a metadata table is an error") {
    val lacking = """{"type":"record","name":"r","fields":[{"name":"key","type":"string"}]}"""
    val other = """{"type":"record","name":"r","fields":[{"name":"key","type":"string"},""" +
      """{"name":"type","type":"int"},{"name":"filesystemMetadata","type":"string"}]}"""
    Seq("", "{", "\"string\"", lacking, other).foreach { json =>
      val e = intercept[HudiliteException](FilesRecords.of(json, path))
      assert(e.condition == "HUDILITE_CORRUPT_TIMELINE", json)
    }
    Seq(Array.emptyByteArray, Array[Byte](0, 0, 0)).foreach { bytes =>
      assert(intercept[HudiliteException](records.decode(bytes)).condition ==
        "HUDILITE_CORRUPT_TIMELINE")
    }
  }
}
