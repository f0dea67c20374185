package hudilite.spark.write

import java.util

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData, ParquetMetadata}

import hudilite.view.ShortFooter

class ShortFooterSuite extends BaseFiles {

  private def chunk(of: Iterable[ColumnChunkMetaData], column: String): ColumnChunkMetaData =
    of.find(_.getPath.toDotString == column).get

  private def groupsOf(footer: ParquetMetadata): Seq[BlockMetaData] = footer.getBlocks.asScala.toSeq

  test("a short footer has the statistics of all row groups together, and no pairs of ours") {
    val path = written(flat, layout(3, 10))(to => internal(flatRows(25), flat).foreach(to.write))
    val whole = footer(path)
    val short = ShortFooter.of(whole).get
    val file = short.kind.file
    assert(file.getSchema == whole.getFileMetaData.getSchema)
    assert(file.getCreatedBy == whole.getFileMetaData.getCreatedBy)
    assert(whole.getFileMetaData.getKeyValueMetaData.containsKey("ours"))
    val pairs = file.getKeyValueMetaData.asScala.toMap
    assert(pairs == Map("org.apache.spark.version" -> spark.version))
    assert(groupsOf(whole).size == 3)
    val paths = short.kind.paths
    val chunks = short.chunks(paths.toSet).asScala
    paths.foreach { path => // those before it are skipped
      val one = short.chunks(Set(path)).asScala
      val all = chunk(chunks, path.toDotString)
      assert(one.map(_.getPath) == Seq(path))
      assert(one.head.getStatistics == all.getStatistics)
      assert(one.head.getValueCount == all.getValueCount)
    }
    assert(short.chunks(Set.empty).isEmpty)
    assert(chunks.size == file.getSchema.getColumns.size)
    val (known, unknown) = chunks.partition(of => !of.getStatistics.isEmpty)
    assert(unknown.map(_.getPath.toDotString).toSet == Set("f32")) // NaN in one row group
    known.foreach { all =>
      val name = all.getPath.toDotString
      val parts = groupsOf(whole).map(group => chunk(group.getColumns.asScala, name))
      val wanted: Statistics[_] = Statistics.createStats(all.getPrimitiveType)
      parts.foreach(part => wanted.mergeStatistics(part.getStatistics))
      assert(all.getStatistics == wanted, all.getPath)
      assert(all.getValueCount == parts.map(_.getValueCount).sum)
    }
    assert(short.kind == ShortFooter.of(footer(path)).get.kind)
  }

  test("statistics that one row group does not have are unknown, and not empty") {
    val path = written(flat, layout(3, 10))(to => internal(flatRows(25), flat).foreach(to.write))
    val whole = footer(path)
    val column = groupsOf(whole).head.getColumns.asScala.find(_.getStatistics.hasNonNullValue).get
    val of = column.getPrimitiveType
    Seq[Statistics[_]](
      Statistics.getBuilderForReading(of).build(),
      Statistics.getBuilderForReading(of).withNumNulls(0).build(),
      Statistics.getBuilderForReading(of).withMin(column.getStatistics.getMinBytes)
        .withMax(column.getStatistics.getMaxBytes).build()
    ).foreach { values =>
      val part = ColumnChunkMetaData.get(column.getPath, of, column.getCodec,
        column.getEncodingStats, column.getEncodings, values, 4L, 0L, column.getValueCount, 1L, 1L)
      val group = new BlockMetaData
      groupsOf(whole).head.getColumns.forEach { other =>
        group.addColumn(if (other.getPath == column.getPath) part else other)
      }
      val blocks = new util.ArrayList(whole.getBlocks)
      blocks.set(1, group)
      val short = ShortFooter.of(new ParquetMetadata(whole.getFileMetaData, blocks)).get
      val name = column.getPath.toDotString
      val found: Statistics[_] =
        chunk(short.chunks(Set(column.getPath)).asScala, name).getStatistics
      assert(found.isEmpty && !found.isNumNullsSet && !found.hasNonNullValue)
    }
  }

  test("bytes that are no footer are an error") {
    assertThrows[Exception](new ShortFooter.Kind(Array[Byte](1, 2, 3)).file)
  }
}
