package hudilite.spark.catalog

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.{StringType, StructField, StructType}

import hudilite.format.{FileId, MetaFields, PartitionPath, RecordKey, TableConfig}
import hudilite.spark.plan.{KeyText, MetaColumns, NestedField}
import hudilite.spark.read.SliceReader
import hudilite.view.{FileSlice, TableSnapshot}

/** Record key and partition path of one row as its writer stored them, and as hudilite computes
  * them from the row's columns.
  * @param bucket bucket number at the start of the file name, if there is one
  * @param key    stored record key
  * @param plain  text of the only key column; None when there are several or it is null
  * @param joined key columns as `f:v,f2:v2`
  * @param stored stored partition path
  * @param path   partition path computed from the partition columns */
private[catalog] final case class StoredKey(
    bucket: Option[Int],
    key: String,
    plain: Option[String],
    joined: String,
    stored: String,
    path: String
)

/** Samples rows of a table before it is adopted: the first rows of one file slice of each bucket, of
  * a limited number of slices. Of a slice with a base the rows of the base are read, of others those of
  * the log files. Runs on the driver. Reads only the key and partition columns, and Hudi's meta columns
  * with the record key and the partition path. */
private[catalog] object StoredKeys {
  private val maxFiles = 64
  private val rowsAFile = 1000

  /** @param snapshot   latest state of the table
    * @param slices     its file slices
    * @param numBuckets number of buckets that a statement declares */
  def sample(
      spark: SparkSession,
      config: TableConfig,
      schema: StructType,
      snapshot: TableSnapshot,
      slices: Seq[FileSlice],
      numBuckets: Option[Int]
  ): Seq[StoredKey] = {
    val read = slices.map(slice => slice.withoutLogs.getOrElse(slice))
    val names = (config.recordKeyFields ++ config.partitionFields).map(NestedField.column)
    val meta = Seq(MetaFields.RecordKey, MetaFields.PartitionPath).map(StructField(_, StringType))
    val columns = StructType(meta ++ schema.filter(field => names.contains(field.name)))
    val factory = SliceReader.factory(
      spark,
      config,
      MetaColumns.before(schema),
      columns,
      Array.empty,
      strict = true,
      stored = true,
      logs = Option.when(read.exists(_.logs.nonEmpty))(snapshot)
    )
    val keyOf = reading(config, columns)
    (chosen(read) ++ incomplete(read, numBuckets)).distinct.flatMap { slice =>
      val reader = factory.openRows(slice)
      try
        Iterator
          .continually(reader.next())
          .take(rowsAFile)
          .takeWhile(identity)
          .map(_ => keyOf(slice, reader.get()))
          .toVector
      finally reader.close()
    }
  }

  /** The smallest base of each bucket, else its smallest slice of log files, or each slice without a bucket;
    * evenly spaced if too many. */
  private def chosen(slices: Seq[FileSlice]): Seq[FileSlice] = {
    val one = slices
      .groupBy(slice => FileId.bucketOf(slice.fileId).fold(slice.fileId)(_.toString))
      .values
      .map(_.minBy(bySize))
      .toVector
      .sortBy(_.fileId)
    val step = math.max(1, (one.size + maxFiles - 1) / maxFiles)
    one.indices.by(step).map(one)
  }

  private def bySize(slice: FileSlice): (Boolean, Long, String) =
    (slice.logs.nonEmpty, slice.length, slice.places.mkString)

  /** The largest base of each partition in which some bucket has no file: stock Hudi can give
    * partitions different numbers of buckets, which shows in nothing but names and keys.
    * Source: table-versions §6.1. */
  private def incomplete(slices: Seq[FileSlice], numBuckets: Option[Int]): Seq[FileSlice] = {
    val buckets = slices.map(slice => FileId.bucketOf(slice.fileId))
    val count = (buckets.flatten.map(_ + 1) ++ numBuckets).maxOption.getOrElse(0)
    if (buckets.exists(_.isEmpty)) Seq.empty
    else
      slices.groupBy(_.partition).toVector.sortBy(_._1).collect {
        case (_, files) if files.size < count =>
          files.filter(_.logs.isEmpty).maxByOption(bySize)
      }.flatten
  }

  private def reading(
      config: TableConfig,
      columns: StructType
  ): (FileSlice, InternalRow) => StoredKey = {
    def text(name: String): Expression = KeyText.expression(value(columns, name))
    val keys = config.recordKeyFields.map(text)
    val partitions =
      config.partitionFields.map(name => KeyText.folder(config, name, value(columns, name)))
    (slice, row) => {
      def textsOf(columns: Seq[Expression]) =
        columns.map(_.eval(row)).map(v => Option(v).map(_.toString))
      val texts = textsOf(keys)
      StoredKey(
        FileId.bucketOf(slice.fileId),
        row.getString(0),
        if (texts.size == 1) texts.head else None,
        RecordKey.complex(config.recordKeyFields, texts.map(_.orNull)),
        row.getString(1),
        PartitionPath.anyOf(textsOf(partitions).map(_.orNull), config)
      )
    }
  }

  private def value(columns: StructType, name: String): Expression =
    NestedField.of(name)(NestedField.bound(columns)).getOrElse(
      throw new IllegalStateException(s"INTERNAL: there is no column $name")
    )
}
