package hudilite.spark.read

import java.io.{ByteArrayOutputStream, ObjectOutputStream, Serializable}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.types.StructType

import hudilite.format.{BaseFileName, LogFileName, TableConfig}
import hudilite.spark.SparkSuite
import hudilite.spark.merge.OldBaseFile
import hudilite.spark.verify.FileFooter
import hudilite.verify.TableCheck
import hudilite.view.{FileSlice, LogFile, SliceBase, SourceFile}

class SlicePartitionSuite extends SparkSuite {
  private val openCost = 4L << 20

  private def slice(number: Int, length: Long): FileSlice = {
    val fileId = f"$number%08d-2b39-4e88-92e9-2aa42bf62b9c-0"
    val name = BaseFileName(fileId, s"$number-44-97", f"202401010000${number % 10}%05d")
    val path = new Path(s"file:/warehouse/flights/day=2024-01-01/${name.text}")
    FileSlice.ofBase("day=2024-01-01", fileId, name.instant, path, length)
  }

  test("a part of an adopted slice is one of its source file, and only one part is the whole") {
    val adopted = slice(0, 7L).over(SourceFile(new Path("file:/src/a.parquet"), 100L, 0L))
    val part = SlicePart(adopted, 80L, 20L)
    assert(!part.isWhole && SlicePart.whole(adopted).isWhole)
    assert(part.file.toPath == new Path("file:/src/a.parquet"))
    assert((part.file.start, part.file.length, part.file.fileSize) == ((80L, 20L, 100L)))
    assert(part.file.otherConstantMetadataColumnValues.isEmpty)
  }

  test("a slice whose log files are not small beside its base is not cut") {
    def logged(bytes: Long) = {
      val whole = slice(1, 100L)
      val name = LogFileName(whole.fileId, whole.instant, 1, "0-1-0")
      whole.copy(logs = Seq(LogFile(new Path(whole.path.getParent, name.text), bytes, name)))
    }
    assert(SlicePart.mayCut(slice(1, 100L)) && SlicePart.mayCut(logged(25L)))
    assert(!SlicePart.mayCut(logged(26L)))
    assert(SlicePart.whole(logged(26L)).ofBase.map(_.length).contains(100L))
    val alone = logged(25L).copy(base = SliceBase.NoBase)
    assert(!SlicePart.mayCut(alone) && SlicePart.whole(alone).ofBase.isEmpty)
  }

  test("a task is hardly larger than one with Spark's own files") {
    val parts = (0 until 10000).map(n => SlicePart.whole(slice(n, openCost)))
    val ours = bytes(SlicePartition(parts.toVector))
    val files = bytes(FilePartition(0, parts.map(_.file).toArray))
    info(s"${ours / parts.size} and ${files / parts.size} bytes for each file")
    assert(ours < 1.5 * files)
  }

  test("a slice with log files or without a base is opened only where log files are read") {
    val whole = slice(1, 10L)
    val name = LogFileName(whole.fileId, whole.instant, 1, "0-1-0")
    val log = LogFile(new Path(whole.path.getParent, name.text), 1L, name)
    val schema = StructType.fromDDL("id INT")
    val config = TableConfig(Map.empty)
    val factory = SliceReader.factory(spark, config, schema, schema, Array.empty)
    val conf = new Configuration(false)
    val logged = whole.copy(logs = Seq(log))
    Seq(logged, logged.copy(base = SliceBase.NoBase)).foreach { unreadable =>
      def isRefused(read: => Any) =
        intercept[IllegalStateException](read).getMessage.startsWith("INTERNAL: ")
      val planned = SlicePartition.whole(unreadable)
      assert(isRefused(factory.createColumnarReader(planned).next()))
      val grouped = GroupedSlices(planned, InternalRow.empty)
      assert(isRefused(factory.createColumnarReader(grouped).next()))
      assert(isRefused(factory.openRows(unreadable).next()))
      assert(isRefused(factory.openBatches(unreadable).map(_.next())))
      assert(isRefused(OldBaseFile.open(unreadable, conf)))
      assert(isRefused(FileFooter.read(new TableCheck.CheckedSlice(unreadable, None), conf)))
    }
  }

  private def bytes(sent: Serializable): Int = {
    val written = new ByteArrayOutputStream
    new ObjectOutputStream(written).writeObject(sent)
    written.size
  }
}
