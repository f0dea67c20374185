package hudilite.spark.merge

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.LogFileName
import hudilite.view.{FileSlice, LogFile, SliceBase, SourceFile}

/** When a slice gets a new base file and no further log file. */
class LogLimitsSuite extends AnyFunSuite {
  private val instant = "20240101000000000"
  private val least = 1L << 20

  private def skeleton(length: Long, ofSource: Long): SliceBase =
    SliceBase.Skeleton(new Path("/t/s"), length, SourceFile(new Path("/s"), ofSource, 0L))

  private def slice(base: SliceBase, logs: Long*): FileSlice = FileSlice(
    "p=a",
    "a",
    instant,
    base,
    logs.zipWithIndex.map { case (length, n) =>
      val name = LogFileName("a", instant, n + 1, "0-1-0")
      LogFile(new Path("/t/p=a", name.text), length, name)
    }
  )

  test("log files have a fifth of the bytes of the base, whose rows may be in a source file") {
    for (
      base <- Seq(SliceBase.BaseFile(new Path("/t/b"), 10 * least), skeleton(least, 9 * least))
    ) {
      assert(LogLimits.bytesLeft(slice(base)) == 2 * least)
      assert(LogLimits.bytesLeft(slice(base, least, 5)) == least - 5)
      assert(LogLimits.mayAppend(slice(base, 2 * least - 1)))
      assert(!LogLimits.mayAppend(slice(base, 2 * least)))
    }
  }

  test("a small base, and one without rows of its own, has at least a mebibyte of log files") {
    for (base <- Seq(SliceBase.BaseFile(new Path("/t/b"), 1), skeleton(1, 1))) {
      assert(LogLimits.bytesLeft(slice(base)) == least)
      assert(!LogLimits.mayAppend(slice(base, least)))
    }
  }

  test("eight log files are the most of a file group without a bucket, and none without a base") {
    val base = skeleton(1, 1)
    assert(LogLimits.mayAppend(slice(base, Seq.fill(7)(1L): _*)))
    assert(!LogLimits.mayAppend(slice(base, Seq.fill(8)(1L): _*)))
    assert(!LogLimits.mayAppend(slice(SliceBase.NoBase, 1)))
  }
}
