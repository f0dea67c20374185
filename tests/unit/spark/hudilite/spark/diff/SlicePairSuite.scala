package hudilite.spark.diff

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.{BaseFileName, FileId, LogFileName}
import hudilite.view.{FileSlice, LogFile}

/** Which file slices of two states are compared with each other. */
class SlicePairSuite extends AnyFunSuite {

  private def instant(step: Int): String = f"20240101${step}%09d"

  private def slice(
      partition: String,
      bucket: Int,
      step: Int,
      logs: Int = 0,
      writer: String = "u"
  ): FileSlice = {
    val fileId = FileId.bucket(writer, partition, bucket, "")
    val name = BaseFileName(fileId, "0-1-0", instant(step))
    val base =
      FileSlice.ofBase(partition, fileId, name.instant,
        new Path(s"file:/t/$partition/${name.text}"),
        100L + step)
    base.copy(logs = (1 to logs).map { n =>
      val log = LogFileName(fileId, instant(step), n, "0-1-0")
      LogFile(new Path(s"file:/t/$partition/${log.text}"), 10L, log)
    })
  }

  test("a base file of both states is not read") {
    val before = Seq(slice("x", 0, 1), slice("x", 1, 1), slice("y", 0, 1))
    val after = Seq(slice("x", 0, 1), slice("x", 1, 2), slice("y", 0, 1), slice("z", 2, 2))
    assert(SlicePair.changed(before, after) == ((before.slice(1, 2), Seq(after(1), after(3)))))
  }

  test("a slice with log files is read, because a state may not count all of their blocks") {
    val both = Seq(slice("", 0, 1, logs = 1), slice("", 1, 1))
    assert(SlicePair.changed(both, both) == ((both.take(1), both.take(1))))
  }

  test("slices are paired by partition and bucket, the largest pair first") {
    val (one, two, lost) = (slice("x", 1, 1), slice("x", 1, 2), slice("x", 0, 1))
    val made = slice("y", 1, 3)
    assert(SlicePair.byBucket(Seq(lost, one), Seq(made, two)).contains(Seq(
      SlicePair("x", Some(one), Some(two)),
      SlicePair("y", None, Some(made)),
      SlicePair("x", Some(lost), None)
    )))
  }

  test("file groups without buckets are not paired") {
    val fileId = "abcdef01-2b39-4e88-92e9-2aa42bf62b9c-0"
    val name = BaseFileName(fileId, "0-1-0", instant(1))
    val other = FileSlice.ofBase("", fileId, name.instant, new Path(s"file:/t/${name.text}"), 1L)
    assert(SlicePair.byBucket(Seq(slice("", 0, 1)), Seq(other)).isEmpty)
  }

  test("a bucket with several file groups is not paired: it would lose one of them") {
    val two = Seq(slice("", 0, 1), slice("", 0, 2, writer = "other"))
    assert(SlicePair.byBucket(two, Seq(slice("", 1, 1))).isEmpty)
    assert(SlicePair.byBucket(Nil, two).isEmpty)
  }
}
