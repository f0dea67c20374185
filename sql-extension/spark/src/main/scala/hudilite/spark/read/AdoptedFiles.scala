package hudilite.spark.read

import org.apache.hadoop.conf.Configuration
import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.execution.datasources.{FilePartition, PartitionedFile}
import org.apache.spark.sql.execution.vectorized.{ColumnVectorUtils, ConstantColumnVector}
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

import hudilite.error.HudiliteException
import hudilite.format.{MetaFields, TableConfig}
import hudilite.view.{FileSlice, SourceFile}

/** Reads file groups that a bootstrap adopted: meta columns from the skeleton, partition columns from
  * the partition's path, all others from the source file; always in vectors (task side).
  *
  * Without meta columns the source alone is opened. With them both files are, and the row groups of
  * the source decide where a range of bytes begins and ends.
  * Source: hudi-format §8, seed 002.
  * @param readSchema columns to read, in this order
  * @param data       reads those of the source; it may leave rows out where `meta` is not there
  * @param meta       reads those of the skeleton, where there are any, all rows of a row group
  * @param ofData     filters over columns of the source, by which row groups of both are left out
  * @param ofMeta     the same over those of the skeleton */
private[read] final class AdoptedFiles(
    config: TableConfig,
    readSchema: StructType,
    data: PartitionReaderFactory,
    meta: Option[PartitionReaderFactory],
    ofData: RowGroupFilters,
    ofMeta: RowGroupFilters
) extends Serializable {
  import AdoptedFiles._

  private val kinds = readSchema.map(kindOf(config, _)).toArray
  private val ordinals =
    kinds.indices.map(i => kinds.take(i).count(_ == kinds(i))).toArray

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
    meta.map(stitched(_, file, slice, constants, conf)).getOrElse {
      val rows = new RowCursor(data.createColumnarReader(FilePartition(0, Array(plain(file)))))
      new Stitched(None, rows, arrange(constants, _), broken(slice))
    }
  }

  private def stitched(
      meta: PartitionReaderFactory,
      file: PartitionedFile,
      slice: FileSlice,
      constants: Array[ColumnVector],
      conf: Configuration
  ): PartitionReader[ColumnarBatch] = {
    val source = SourceFile.of(slice)
    val groups = RowGroup.of(source, conf, ofData)
    val skeleton = RowGroup.of(slice, conf, ofMeta)
    if (rowsOf(groups) != rowsOf(skeleton)) throw broken(slice)
    val wanted = groups.filter { group =>
      file.start <= group.middle && group.middle < file.start + file.length && group.mayPass &&
      skeleton.exists(beside => beside.mayPass && beside.overlaps(group))
    }
    new InTurn(runs(wanted).iterator.map { run =>
      val beside = skeleton.filter(of => run.exists(of.overlaps))
      val rows = new RowCursor(reader(meta, slice, beside))
      rows.skip(run.head.firstRow - beside.head.firstRow)
      val values = new RowCursor(reader(data, source, run))
      new Stitched(Some(rows), values, arrange(constants, _), broken(slice))
    })
  }

  private def arrange(
      constants: Array[ColumnVector],
      vectors: Seq[Int => ColumnVector]
  ): Array[ColumnVector] = Array.tabulate(kinds.length) { i =>
    kinds(i) match {
      case OfPath => constants(ordinals(i))
      case OfSource => vectors.head(ordinals(i))
      case OfSkeleton => vectors.last(ordinals(i))
    }
  }

  private def constantsOf(slice: FileSlice): Array[ColumnVector] = {
    val columns = StructType(readSchema.filter(kindOf(config, _) == OfPath))
    val values = PartitionValues.of(slice, config, columns)
    columns.fields.zipWithIndex.map { case (field, i) =>
      val vector = new ConstantColumnVector(1, field.dataType)
      ColumnVectorUtils.populate(vector, values, i)
      vector: ColumnVector
    }
  }
}

private[read] object AdoptedFiles {
  private sealed trait Kind extends Serializable
  private case object OfSkeleton extends Kind
  private case object OfPath extends Kind
  private case object OfSource extends Kind

  /** Key of a slice among the constants of a PartitionedFile. */
  val slice = "hudilite.slice"

  /** The columns of a schema that skeletons hold. */
  def metaColumns(schema: StructType): StructType =
    StructType(schema.filter(field => MetaFields.all.contains(field.name)))

  /** Those that sources hold. */
  def dataColumns(config: TableConfig, schema: StructType): StructType =
    StructType(schema.filter(kindOf(config, _) == OfSource))

  /** Whether a filter's column, or part of one, is a source's. */
  def isOfData(config: TableConfig, column: String): Boolean = {
    val name = column.takeWhile(_ != '.')
    !MetaFields.all.contains(name) && !config.partitionFields.contains(name)
  }

  private def kindOf(config: TableConfig, field: StructField): Kind =
    if (MetaFields.all.contains(field.name)) OfSkeleton
    else if (config.partitionFields.contains(field.name)) OfPath
    else OfSource

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
