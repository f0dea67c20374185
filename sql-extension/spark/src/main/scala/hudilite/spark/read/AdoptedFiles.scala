package hudilite.spark.read

import org.apache.hadoop.conf.Configuration
import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.execution.datasources.{FilePartition, PartitionedFile}
import org.apache.spark.sql.execution.vectorized.{ColumnVectorUtils, ConstantColumnVector}
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.error.HudiliteException
import hudilite.format.{MetaFields, TableConfig}
import hudilite.view.{FileSlice, SourceFile}

/** Readers of adopted file groups.
  * @param counted for those whose index tells their sequence numbers
  * @param stored  for those of which only the skeleton has them */
private[read] final case class AdoptedReaders(counted: AdoptedFiles, stored: AdoptedFiles) {
  def of(slice: FileSlice): AdoptedFiles =
    if (slice.source.exists(_.sequence.nonEmpty)) counted else stored
}

/** Reads file groups that a bootstrap adopted: partition columns from the partition's path, meta columns
  * from the skeleton unless its name, its row's place or the key column tells them, all others from the
  * source file; always in vectors (task side).
  *
  * Without columns of the skeleton the source alone is opened. With them both files are. The row groups of
  * the source decide where a range of bytes begins and ends.
  * Source: hudi-format §8, seed 002.
  * @param columns    what is read of which file
  * @param data       reads those of the source; it may leave rows out where `meta` is not there and none
  *                   are counted
  * @param meta       reads those of the skeleton, where there are any, all rows of a row group
  * @param ofData     filters over columns of the source, by which row groups of both are left out
  * @param ofMeta     the same over those of the skeleton */
private[read] final class AdoptedFiles(
    config: TableConfig,
    columns: AdoptedColumns,
    data: PartitionReaderFactory,
    meta: Option[PartitionReaderFactory],
    ofData: RowGroupFilters,
    ofMeta: RowGroupFilters
) extends Serializable {
  import AdoptedFiles._

  /** @param file  a range of bytes of the source
    * @param slice the skeleton's
    * Errors: HUDILITE_SOURCE_CHANGED, HUDILITE_MISSING_DATA_FILE, HUDILITE_CORRUPT_DATA_FILE. */
  def open(
      file: PartitionedFile,
      slice: FileSlice,
      conf: Configuration
  ): PartitionReader[ColumnarBatch] = {
    SourceFile.check(slice, conf)
    val constants = constantsOf(slice)
    if (needsSkeleton || (columns.needsPlace && !isWhole(file, slice)))
      chosen(file, slice, constants, conf)
    else {
      val rows = new RowCursor(data.createColumnarReader(FilePartition(0, Array(plain(file)))))
      stitched(slice, None, rows, constants, 0L)
    }
  }

  private def needsSkeleton: Boolean = meta.nonEmpty || ofMeta.filters.nonEmpty

  /** Whether all rows of a file are read. */
  private def isWhole(file: PartitionedFile, slice: FileSlice): Boolean =
    ofData.filters.isEmpty && file.start == 0 && file.length == slice.dataLength

  /** The row groups that neither footer rules out, whole. */
  private def chosen(
      file: PartitionedFile,
      slice: FileSlice,
      constants: Map[Int, ColumnVector],
      conf: Configuration
  ): PartitionReader[ColumnarBatch] = {
    val source = SourceFile.of(slice)
    val groups = RowGroup.of(source, conf, ofData)
    val skeleton = if (needsSkeleton) RowGroup.of(slice, conf, ofMeta) else groups
    if (rowsOf(groups) != rowsOf(skeleton)) throw broken(slice)
    val wanted = groups.filter { group =>
      file.start <= group.middle && group.middle < file.start + file.length && group.mayPass &&
      skeleton.exists(beside => beside.mayPass && beside.overlaps(group))
    }
    new InTurn(runs(wanted).iterator.map { run =>
      val rows = meta.map { of =>
        val beside = skeleton.filter(group => run.exists(group.overlaps))
        val cursor = new RowCursor(reader(of, slice, beside))
        cursor.skip(run.head.firstRow - beside.head.firstRow)
        cursor
      }
      val values = new RowCursor(reader(data, source, run))
      stitched(slice, rows, values, constants, run.head.firstRow)
    })
  }

  /** @param firstRow of the source that is read */
  private def stitched(
      slice: FileSlice,
      rows: Option[RowCursor],
      values: RowCursor,
      constants: Map[Int, ColumnVector],
      firstRow: Long
  ): PartitionReader[ColumnarBatch] = {
    val place = new RowPlace(firstRow)
    val sequence = new SequenceVector(slice.source.flatMap(_.sequence).getOrElse(""), place)
    val arrange = columns.arrange(constants, sequence, _)
    new Stitched(rows, values, place, arrange, broken(slice))
  }

  private def constantsOf(slice: FileSlice): Map[Int, ColumnVector] = {
    val ofPath = columns.ofPath
    val values = PartitionValues.of(slice, config, StructType(ofPath.map(_._1)))
    val ofName = columns.ofName.map { case (field, at) =>
      at -> constant(field, InternalRow(UTF8String.fromString(told(slice, field.name))), 0)
    }
    ofPath.zipWithIndex.map { case ((field, at), i) => at -> constant(field, values, i) }.toMap ++
      ofName
  }
}

private[read] object AdoptedFiles {

  /** Key of a slice among the constants of a PartitionedFile. */
  val slice = "hudilite.slice"

  private def constant(field: StructField, row: InternalRow, at: Int): ColumnVector = {
    val vector = new ConstantColumnVector(1, field.dataType)
    ColumnVectorUtils.populate(vector, row, at)
    vector
  }

  /** What a skeleton's name and place tell of all its rows. */
  private def told(slice: FileSlice, column: String): String = column match {
    case MetaFields.CommitTime => slice.instant
    case MetaFields.PartitionPath => slice.partition
    case _ => slice.fileName
  }

  /** The same file without what tells that it was adopted. */
  private def plain(file: PartitionedFile): PartitionedFile =
    file.copy(otherConstantMetadataColumnValues = Map.empty)

  private def broken(slice: FileSlice): HudiliteException =
    SourceFile.changed(slice, "it has another number of rows")

  /** Row groups that follow one another in the file. */
  private def runs(groups: Seq[RowGroup]): Seq[Seq[RowGroup]] =
    groups.foldLeft(Vector.empty[Vector[RowGroup]]) { (runs, group) =>
      if (runs.lastOption.exists(_.last.endRow == group.firstRow)) runs.init :+ (runs.last :+ group)
      else runs :+ Vector(group)
    }

  private def rowsOf(groups: Seq[RowGroup]): Long = groups.lastOption.fold(0L)(_.endRow)

  private def reader(
      factory: PartitionReaderFactory,
      slice: FileSlice,
      groups: Seq[RowGroup]
  ): PartitionReader[ColumnarBatch] = {
    val begin = groups.headOption.fold(0L)(_.begin)
    val length = groups.lastOption.fold(0L)(_.end - begin)
    val file = PartitionedFile(
      InternalRow.empty,
      SparkPath.fromPath(slice.path),
      begin,
      length,
      fileSize = slice.length
    )
    factory.createColumnarReader(FilePartition(0, Array(file)))
  }
}
