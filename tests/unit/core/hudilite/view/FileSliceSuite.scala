package hudilite.view

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.index.KeyFiles
import hudilite.io.{FileEntry, TempFolder}

class FileSliceSuite extends AnyFunSuite {
  private val base = new Path("/t/p=a/f_0-1-0_20240101000000000.parquet")
  private val slice = FileSlice.ofBase("p=a", "f", "20240101000000000", base, 10L)
  private val source = SourceFile(new Path("/src/one.parquet"), 300L, 1L)
  private val skeleton = slice.over(source)
  private val log = LogFile.of(entry(".f_20240101000000000.log.1_0-2-0"))

  private def entry(name: String, isDirectory: Boolean = false) =
    FileEntry(new Path(s"/t/p=a/$name"), 5L, isDirectory)

  test("a base file is all of its slice") {
    assert(slice.onlyBase == SliceBase.BaseFile(base, 10L))
    assert(slice.onlyBase.data == slice.onlyBase && slice.source.isEmpty)
    assert(slice.path == base && slice.fileName == base.getName)
    assert(
      slice.place == s"p=a/${base.getName}" && slice.copy(partition = "").place == base.getName
    )
    assert((slice.length, slice.wholeLength, slice.dataLength) == ((10L, 10L, 10L)))
  }

  test("the data of a skeleton are in its source file, and the skeleton is the file of the table") {
    assert(skeleton.onlyBase == SliceBase.Skeleton(base, 10L, source))
    assert(skeleton.onlyBase.data == source && skeleton.source.contains(source))
    assert(skeleton.path == base && skeleton.place == slice.place)
    assert((skeleton.length, skeleton.wholeLength, skeleton.dataLength) == ((10L, 310L, 300L)))
  }

  test("a log file is known by its name and takes room in the table") {
    assert(log.map(of => (of.path.getName, of.length, of.name.version)).contains(
      (".f_20240101000000000.log.1_0-2-0", 5L, 1)
    ))
    assert(LogFile.of(entry(".f_20240101000000000.log.1_0-2-0", isDirectory = true)).isEmpty)
    assert(LogFile.of(entry(base.getName)).isEmpty)
    val changed = skeleton.copy(logs = log.toSeq)
    assert((changed.length, changed.wholeLength, changed.dataLength) == ((15L, 315L, 305L)))
  }

  test("a slice with log files or without a base is not read") {
    val conf = new Configuration(false)
    TempFolder.use { folder =>
      val whole = KeyFiles.write(folder.toString, "f", Seq("a", "b"), KeyFiles.Whole)
      assert(OpenedFile(whole, conf)(_.reader.getRecordCount) == 2)
      assert(KeyFiles.found(whole, Seq("a", "c")) == Set("a"))
      val logged = whole.copy(logs = log.toSeq)
      val empty = whole.copy(base = SliceBase.NoBase)
      Seq(logged, empty, logged.copy(base = SliceBase.NoBase)).foreach { unreadable =>
        assert(isRefused(OpenedFile.open(unreadable, conf)))
        assert(isRefused(OpenedFile(unreadable, conf)(_.reader.getRecordCount)))
        assert(isRefused(KeyFiles.found(unreadable, Seq("a"))))
      }
      assert(logged.path == whole.path && logged.length == whole.length + 5)
      assert(empty.length == 0L && isRefused(empty.path) && isRefused(empty.over(source)))
    }
  }

  private def isRefused(read: => Any): Boolean =
    intercept[IllegalStateException](read).getMessage.startsWith("INTERNAL: ")
}
