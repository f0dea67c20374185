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
      assert(LogLimits(0L).mayAppend(slice(base, 2 * least - 1)))
      assert(!LogLimits(0L).mayAppend(slice(base, 2 * least)))
    }
  }

  test("a small base, and one without rows of its own, has at least a mebibyte of log files") {
    for (base <- Seq(SliceBase.BaseFile(new Path("/t/b"), 1), skeleton(1, 1))) {
      assert(LogLimits.bytesLeft(slice(base)) == least)
      assert(!LogLimits(0L).mayAppend(slice(base, least)))
    }
  }

  test("file groups get base files in turns from eight log files on, and at once from sixteen on") {
    val base = skeleton(1, 1)
    def may(commits: Long, files: Int, fileId: String = "a") =
      LogLimits(commits).mayAppend(slice(base, Seq.fill(files)(1L): _*).copy(fileId = fileId))
    val commits = 0L until 24L
    assert(commits.forall(may(_, 7)))
    assert(!commits.exists(may(_, 16)))
    for (files <- 8 to 15; number <- 0 until 30) {
      val bucket = f"$number%08d-0000-0000-0000-000000000000"
      assert(commits.filterNot(may(_, files, bucket)).map(c => (c + number) % 12) == Seq(0, 0))
      assert(commits.count(!may(_, files, s"group $number")) == 2)
    }
    assert(!LogLimits(0L).mayAppend(slice(SliceBase.NoBase, 1)))
  }

  test("commits that change all buckets make base files for about as many buckets each") {
    val base = skeleton(1, 1)
    val logs = Array.fill(16)(0)
    val made = (0L until 60L).map { commit =>
      (0 until 16).count { bucket =>
        val own = slice(base, Seq.fill(logs(bucket))(1L): _*)
          .copy(fileId = f"$bucket%08d-0000-0000-0000-000000000000")
        val appends = LogLimits(commit).mayAppend(own)
        logs(bucket) = if (appends) logs(bucket) + 1 else 0
        !appends
      }
    }
    assert(made.take(8).forall(_ == 0))
    assert(made.drop(20).forall(Set(1, 2)))
  }
}
