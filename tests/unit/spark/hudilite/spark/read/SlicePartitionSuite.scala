package hudilite.spark.read

import java.io.{ByteArrayOutputStream, ObjectOutputStream, Serializable}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.{FilePartition, PartitionedFile}
import org.apache.spark.sql.types.StructType

import hudilite.format.{BaseFileName, LogFileName, TableConfig}
import hudilite.spark.SparkSuite
import hudilite.spark.merge.OldBaseFile
import hudilite.spark.verify.FileFooter
import hudilite.verify.TableCheck
import hudilite.view.{FileSlice, LogFile, SliceBase, SourceFile}

class SlicePartitionSuite extends SparkSuite {
  private val openCost = 4L << 20
  private val splitBytes = 32L << 20

  private def slice(number: Int, length: Long): FileSlice = {
    val fileId = f"$number%08d-2b39-4e88-92e9-2aa42bf62b9c-0"
    val name = BaseFileName(fileId, s"$number-44-97", f"202401010000${number % 10}%05d")
    val path = new Path(s"file:/warehouse/flights/day=2024-01-01/${name.text}")
    FileSlice.ofBase("day=2024-01-01", fileId, name.instant, path, length)
  }

  test("parts of a slice cover its data file, and only one part is the whole of it") {
    val adopted = slice(0, 7L).over(SourceFile(new Path("file:/src/a.parquet"), 100L, 0L))
    val parts = SlicePart.split(adopted, 40L)
    assert(parts.map(part => (part.start, part.length)) == Seq((0L, 40L), (40L, 40L), (80L, 20L)))
    assert(!parts.exists(_.isWhole) && SlicePart.whole(adopted).isWhole)
    assert(SlicePart.split(adopted, 100L) == Seq(SlicePart.whole(adopted)))
    val file = parts.last.file
    assert(file.toPath == new Path("file:/src/a.parquet"))
    assert((file.start, file.length, file.fileSize) == ((80L, 20L, 100L)))
    assert(file.otherConstantMetadataColumnValues.isEmpty)
  }

  test("log files are in the first part of a slice, and in its only one if they are not small") {
    def logged(bytes: Long) = {
      val whole = slice(1, 100L)
      val name = LogFileName(whole.fileId, whole.instant, 1, "0-1-0")
      whole.copy(logs = Seq(LogFile(new Path(whole.path.getParent, name.text), bytes, name)))
    }
    val parts = SlicePart.split(logged(25L), 60L)
    assert(parts.map(part => (part.start, part.length)) == Seq((0L, 60L), (60L, 40L)))
    assert(parts.flatMap(_.ofBase).map(_.file.length) == Seq(60L, 40L))
    Seq(SlicePart.split(logged(26L), 60L), SlicePart.split(logged(25L), 100L)).foreach { one =>
      assert(one.size == 1 && one.head.isWhole && one.flatMap(_.ofBase).map(_.length) == Seq(100L))
    }
    val alone = logged(25L).copy(base = SliceBase.NoBase)
    assert(SlicePart.split(alone, 10L) == Seq(SlicePart.whole(alone)))
    assert(SlicePart.whole(alone).ofBase.isEmpty)
  }

  test("parts are packed as Spark packs files, and each is in one input partition") {
    val parts = (0 until 60).flatMap(n => SlicePart.split(slice(n, n * 1700000L + 1), splitBytes))
    val files = parts.sortBy(part => -part.length).map(_.file)
    val ofSpark = FilePartition.getFilePartitions(spark, files, splitBytes).map(_.files.toSeq)
    val packed = SlicePartition.bySize(spark, parts, splitBytes)
    assert(packed.map(_.parts.map(part => range(part.file))) == ofSpark.map(_.map(range)))
    assert(packed.size > 1 && packed.exists(_.parts.size > 1))
    assert(packed.flatMap(_.parts).toSet == parts.toSet)
    assert(SlicePartition.bySize(spark, Nil, splitBytes).isEmpty)
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
      val part = SlicePart.whole(unreadable)
      val planned = SlicePartition.bySize(spark, Seq(part), splitBytes)
      assert(planned.flatMap(_.parts) == Seq(part))
      assert(isRefused(factory.createColumnarReader(planned.head).next()))
      val grouped = GroupedSlices(SlicePartition(Seq(part)), InternalRow.empty)
      assert(isRefused(factory.createColumnarReader(grouped).next()))
      assert(isRefused(factory.openRows(unreadable).next()))
      assert(isRefused(factory.openBatches(unreadable).map(_.next())))
      assert(isRefused(OldBaseFile.open(unreadable, conf)))
      assert(isRefused(FileFooter.read(new TableCheck.CheckedSlice(unreadable, None), conf)))
    }
  }

  private def range(file: PartitionedFile) = (file.toPath, file.start, file.length)

  private def bytes(sent: Serializable): Int = {
    val written = new ByteArrayOutputStream
    new ObjectOutputStream(written).writeObject(sent)
    written.size
  }
}
