package hudilite.format

import org.scalatest.funsuite.AnyFunSuite

class FileIdSuite extends AnyFunSuite {
  private val uuid = "6a1c3f0e-0000-4000-8000-000000000001"

  test("the id of a bucket has Hudi's form and no underscore") {
    val id = FileId.bucket(uuid, "part=x", 3, "")
    assert(id.matches("00000003(-[0-9a-f]{4}){3}-[0-9a-f]{12}-0"))
    assert(FileId.bucketOf(id).contains(3))
    assert(FileId.bucketOf(FileId.bucket(uuid, "", 99999, "")).contains(99999))
  }

  test("a uuid that is computed from parts is told from a random one") {
    assert(FileId.isNamed(FileId.named("t")) && !FileId.isNamed(uuid) && !FileId.isNamed(""))
  }

  // F49
  test("a retried task gives the same file id") {
    assert(FileId.bucket(uuid, "p", 1, "e") == FileId.bucket(uuid, "p", 1, "e"))
  }

  test("pinned ids, the same as tests/oracle/file_id.py") {
    assert(FileId.bucket(uuid, "part=x", 3, "") == FileIdSuite.bucketId)
    assert(FileId.bucket(uuid, "é/你", 12, "20240101000000000") == FileIdSuite.epochId)
    assert(FileId.fileGroup(uuid, "", "20240101000000000", 7) == FileIdSuite.groupId)
  }

  test(
    "another table, partition, bucket or epoch gives another id, also where the parts run together"
  ) {
    val ids = Seq(
      FileId.bucket(uuid, "p", 1, "1"),
      FileId.bucket(uuid + "x", "p", 1, "1"),
      FileId.bucket(uuid, "p1", 1, ""),
      FileId.bucket(uuid, "p", 11, ""),
      FileId.bucket(uuid, "p", 1, "11"),
      FileId.bucket(uuid + "p", "", 1, "1")
    ).map(_.drop(8))
    assert(ids.distinct.size == ids.size)
  }

  test("an id that tells the number of buckets, the same as tests/oracle/file_id.py") {
    val (some, most) = (Bucket(3, 32), Bucket(99999, 100000))
    val id = FileId.counted(uuid, "part=x", some, "20240101000000000")
    assert(id == FileIdSuite.countedId)
    assert(FileId.bucketOf(id).contains(3) && FileId.countOf(id).contains(32))
    val largest = FileId.counted(uuid, "", most, "")
    assert(largest == FileIdSuite.largestId && FileId.countOf(largest).contains(100000))
    assert(java.util.UUID.fromString(id.dropRight(2)).version == 8)
  }

  test("ids of other versions tell no number of buckets") {
    assert(Seq(FileIdSuite.bucketId, FileIdSuite.epochId).flatMap(FileId.countOf(_)).isEmpty)
    assert(FileId.countOf("00000003-0000-8000-908e-0c44feeda3db-0").isEmpty)
    assert(FileId.countOf("00000003-00a1-8032-908e-0c44feeda3db-0").isEmpty)
  }

  test("an id that was not made for a bucket names none") {
    Seq(
      "2b394e88-92e9-4aa4-aaaa-2aa42bf62b9c-0",
      "",
      "00000003",
      "0000000a-0000-0000-0000-000000000000-0"
    )
      .foreach(id => assert(FileId.bucketOf(id).isEmpty, id))
  }

  test("a new file group of a table without buckets has an id of its instant and ordinal") {
    val ids = Seq(0, 1).map(FileId.fileGroup(uuid, "p", "20240101000000000", _))
    assert(ids.distinct.size == 2)
    assert(ids.forall(_.matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-0")))
  }
}

object FileIdSuite {
  val bucketId = "00000003-16db-3c9f-908e-0c44feeda3db-0"
  val epochId = "00000012-3cdc-3a86-b35d-63d675d69776-0"
  val countedId = "00000003-0000-8032-b29d-157c1bfa6e68-0"
  val largestId = "00099999-0100-8000-b523-0fafaf5f77b5-0"
  val groupId = "503234a1-de9f-313c-8a3c-115d4caa4838-0"
}
