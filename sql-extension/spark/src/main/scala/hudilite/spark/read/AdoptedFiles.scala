package hudilite.spark.read

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.execution.vectorized.{ColumnVectorUtils, ConstantColumnVector}
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.error.HudiliteException
import hudilite.format.{MetaFields, TableConfig}
import hudilite.view.{FileSlice, SliceBase, SourceFile, StoredFile}

/** Pair of readers of adopted file groups.
  * @param counted reader for file groups whose bootstrap index records the prefix of the sequence
  *                numbers
  * @param stored  reader for file groups whose sequence numbers are only in the skeleton */
private[read] final case class AdoptedReaders(counted: AdoptedFiles, stored: AdoptedFiles) {
  def of(skeleton: SliceBase.Skeleton): AdoptedFiles =
    if (skeleton.source.sequence.nonEmpty) counted else stored
}

/** Vectorized reader of file groups that a bootstrap adopted (task side). Partition columns come
  * from the partition path. Meta columns come from the skeleton's name, the row position or the key
  * column if possible, else from the skeleton. All other columns come from the source file.
  *
  * Opens the skeleton only if needed. Byte ranges are ranges of the source file.
  * Source: hudi-format §8, seed 002.
  * @param columns origin of each column
  * @param data    reads the source file; skips rows by filters only if `meta` is None and no row
  *                positions are needed
  * @param meta    reads all rows of the skeleton's row groups; None if no column comes from it
  * @param ofData  filters on columns of the source file; they skip row groups of both files
  * @param ofMeta  filters on columns of the skeleton; they skip row groups of both files */
private[read] final class AdoptedFiles(
    config: TableConfig,
    columns: AdoptedColumns,
    data: PartitionReaderFactory,
    meta: Option[PartitionReaderFactory],
    ofData: RowGroupFilters,
    ofMeta: RowGroupFilters
) extends Serializable {
  import AdoptedFiles._

  /** Opens a reader of a part of a file group.
    * @param skeleton base of the part's slice
    * Errors: HUDILITE_SOURCE_CHANGED, HUDILITE_MISSING_DATA_FILE, HUDILITE_CORRUPT_DATA_FILE. */
  def open(
      part: SlicePart,
      skeleton: SliceBase.Skeleton,
      conf: Configuration
  ): PartitionReader[ColumnarBatch] = {
    SourceFile.check(part.slice, conf)
    val constants = constantsOf(part.slice)
    val isWhole = ofData.filters.isEmpty && part.isWhole // all rows of the source file are read
    if (needsSkeleton || (columns.needsPlace && !isWhole)) chosen(part, skeleton, constants, conf)
    else {
      val rows = new RowCursor(data.createColumnarReader(FilePartition(0, Array(part.file))))
      stitched(part.slice, None, rows, constants, 0L)
    }
  }

  private def needsSkeleton: Boolean = meta.nonEmpty || ofMeta.filters.nonEmpty

  /** Opens a reader of the whole row groups in the range that the footers of both files leave. */
  private def chosen(
      part: SlicePart,
      skeleton: SliceBase.Skeleton,
      constants: Map[Int, ColumnVector],
      conf: Configuration
  ): PartitionReader[ColumnarBatch] = {
    import part.slice
    val source = skeleton.source
    val rowGroups = RowGroupRange.of(source, slice.instant, conf, ofData)
    val ofSkeleton =
      if (needsSkeleton) RowGroupRange.of(skeleton, slice.instant, conf, ofMeta) else rowGroups
    if (rowsOf(rowGroups) != rowsOf(ofSkeleton)) throw broken(slice)
    val wanted = rowGroups.filter { group =>
      part.start <= group.middle && group.middle < part.start + part.length && group.mayPass &&
      ofSkeleton.exists(beside => beside.mayPass && beside.overlaps(group))
    }
    new InTurn(runs(wanted).iterator.map { run =>
      val rows = meta.map { of =>
        val beside = ofSkeleton.filter(group => run.exists(group.overlaps))
        val cursor = new RowCursor(reader(of, skeleton, beside))
        cursor.skip(run.head.firstRow - beside.head.firstRow)
        cursor
      }
      val values = new RowCursor(reader(data, source, run))
      stitched(slice, rows, values, constants, run.head.firstRow)
    })
  }

  /** @param firstRow number of the first row that `values` reads, in the source file */
  private def stitched(
      slice: FileSlice,
      rows: Option[RowCursor],
      values: RowCursor,
      constants: Map[Int, ColumnVector],
      firstRow: Long
  ): PartitionReader[ColumnarBatch] = {
    val place = new RowPlace(firstRow)
    val sequence = new SequenceVector(slice.source.flatMap(_.sequence).getOrElse(""), place)
    val arrange = columns.arrange(constants, sequence, new PlaceVector(place), _)
    new Stitched(rows, values, place, arrange, broken(slice))
  }

  private def constantsOf(slice: FileSlice): Map[Int, ColumnVector] = {
    val ofPath = columns.ofPath
    val values = PartitionValues.of(slice, config, StructType(ofPath.map(_._1)))
    val ofName = columns.ofName.map { case (field, at) =>
      at -> constant(field, InternalRow(UTF8String.fromString(constantMeta(slice, field.name))), 0)
    }
    ofPath.zipWithIndex.map { case ((field, at), i) => at -> constant(field, values, i) }.toMap ++
      ofName
  }
}

private[read] object AdoptedFiles {

  private def constant(field: StructField, row: InternalRow, at: Int): ColumnVector = {
    val vector = new ConstantColumnVector(1, field.dataType)
    ColumnVectorUtils.populate(vector, row, at)
    vector
  }

  /** Returns the value of a meta column that is the same in all rows of a skeleton. */
  private def constantMeta(slice: FileSlice, column: String): String = column match {
    case MetaFields.CommitTime => slice.instant
    case MetaFields.PartitionPath => slice.partition
    case _ => slice.fileName
  }

  private def broken(slice: FileSlice): HudiliteException =
    SourceFile.changed(slice, "its number of rows has changed")

  /** Splits row groups into runs that follow one another in the file without a gap. */
  private def runs(rowGroups: Seq[RowGroupRange]): Seq[Seq[RowGroupRange]] =
    rowGroups.foldLeft(Vector.empty[Vector[RowGroupRange]]) { (runs, group) =>
      if (runs.lastOption.exists(_.last.endRow == group.firstRow)) runs.init :+ (runs.last :+ group)
      else runs :+ Vector(group)
    }

  private def rowsOf(rowGroups: Seq[RowGroupRange]): Long = rowGroups.lastOption.fold(0L)(_.endRow)

  private def reader(
      factory: PartitionReaderFactory,
      file: StoredFile,
      rowGroups: Seq[RowGroupRange]
  ): PartitionReader[ColumnarBatch] = {
    val begin = rowGroups.headOption.fold(0L)(_.begin)
    val length = rowGroups.lastOption.fold(0L)(_.end - begin)
    factory.createColumnarReader(FilePartition(0, Array(SlicePart.range(file, begin, length))))
  }
}
