package hudilite.view

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.util.{Arrays, Collections, List => JavaList}

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.format.Util
import org.apache.parquet.format.converter.ParquetMetadataConverter
import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType
import org.apache.parquet.hadoop.metadata._

/** Statistics of all rows of a base file, from its footer: for each column the least and the greatest
  * value and the number of nulls.
  * @param kind   columns of the file
  * @param bounds statistics of the columns, in the order of the file */
final class ShortFooter private[view] (
    val kind: ShortFooter.Kind,
    private[view] val bounds: Array[Byte]
) extends Serializable {
  import ShortFooter._

  /** Returns the statistics of some columns in the form of a row group that has all rows of the file.
    * @param wanted columns to return, those of the file that a condition names at least
    * @throws java.io.IOException for bytes that are none */
  def chunks(wanted: Set[ColumnPath]): JavaList[ColumnChunkMetaData] = {
    val in = new DataInputStream(new ByteArrayInputStream(bounds))
    kind.columns.flatMap { case (path, column) =>
      if (wanted(path)) Some(read(in, path, column)) else skipped(in)
    }.asJava
  }
}

object ShortFooter {

  /** Most bytes of the statistics of one file: a file with more columns is not judged. */
  private val mostBytes = 64 << 10

  /** Schema and writer of a base file, which many files have in common.
    * @param footer footer without row groups, as Parquet writes it. Of the pairs it has those of
    *               the calendar of dates alone */
  final class Kind(private[view] val footer: Array[Byte]) extends Serializable {

    /** The footer itself. */
    @transient lazy val file: FileMetaData = {
      val in = new ByteArrayInputStream(footer)
      converter.readParquetMetadata(in, ParquetMetadataConverter.NO_FILTER).getFileMetaData
    }

    /** Paths of the columns that hold values, nested ones among them. */
    def paths: Seq[ColumnPath] = columns.map(_._1)

    @transient private[view] lazy val columns: Seq[(ColumnPath, ColumnDescriptor)] =
      file.getSchema.getColumns.asScala.toVector.map(of => ColumnPath.get(of.getPath: _*) -> of)

    override def equals(other: Any): Boolean = other match {
      case kind: Kind => Arrays.equals(footer, kind.footer)
      case _ => false
    }

    @transient override lazy val hashCode: Int = Arrays.hashCode(footer)
  }

  /** Returns what is kept of a footer; None for an encrypted file, and for one with so many
    * columns that it would be large. */
  def of(footer: ParquetMetadata): Option[ShortFooter] =
    Option.when(!isEncrypted(footer))(boundsOf(footer)).filter(_.length <= mostBytes)
      .map(new ShortFooter(kindOf(footer.getFileMetaData), _))

  private def kindOf(file: FileMetaData): Kind = {
    val pairs = file.getKeyValueMetaData.asScala.filter { case (key, _) => isOfCalendar(key) }
    val short = new FileMetaData(file.getSchema, pairs.asJava, file.getCreatedBy)
    val metadata = new ParquetMetadata(short, Collections.emptyList[BlockMetaData])
    val bytes = new ByteArrayOutputStream
    Util.writeFileMetaData(converter.toParquetMetadata(formatVersion, metadata), bytes)
    new Kind(bytes.toByteArray)
  }

  private def boundsOf(footer: ParquetMetadata): Array[Byte] = {
    val groups =
      footer.getBlocks.asScala.map(_.getColumns.asScala.map(of => of.getPath -> of).toMap)
    val bytes = new ByteArrayOutputStream
    val out = new DataOutputStream(bytes)
    footer.getFileMetaData.getSchema.getColumns.forEach { column =>
      write(column, groups.map(_.get(ColumnPath.get(column.getPath: _*))).toSeq, out)
    }
    bytes.toByteArray
  }

  /** Writes the statistics of a column in all row groups. They are unknown if they are in one of
    * them. */
  private def write(
      column: ColumnDescriptor,
      groups: Seq[Option[ColumnChunkMetaData]],
      out: DataOutputStream
  ): Unit = {
    val isKnown = groups.forall(_.exists(isComplete))
    out.writeBoolean(isKnown)
    if (isKnown) {
      val all: Statistics[_] = Statistics.createStats(column.getPrimitiveType)
      groups.flatten.foreach(chunk => all.mergeStatistics(chunk.getStatistics))
      out.writeLong(groups.flatten.map(_.getValueCount).sum)
      out.writeLong(all.getNumNulls)
      out.writeBoolean(all.hasNonNullValue)
      if (all.hasNonNullValue) Seq(all.getMinBytes, all.getMaxBytes).foreach { value =>
        out.writeInt(value.length)
        out.write(value)
      }
    }
  }

  /** Whether a chunk has the number of its nulls, and bounds unless it has nulls alone. */
  private def isComplete(chunk: ColumnChunkMetaData): Boolean =
    Option(chunk.getStatistics).exists { values =>
      values.isNumNullsSet &&
      (values.hasNonNullValue || values.getNumNulls == chunk.getValueCount)
    }

  /** Moves behind the statistics of a column, as [[read]] does. */
  private def skipped(in: DataInputStream): Option[Nothing] = {
    if (in.readBoolean()) {
      in.skipNBytes(2L * java.lang.Long.BYTES)
      if (in.readBoolean()) (1 to 2).foreach(_ => in.skipNBytes(in.readInt().toLong))
    }
    None
  }

  private def read(
      in: DataInputStream,
      path: ColumnPath,
      column: ColumnDescriptor
  ): ColumnChunkMetaData = {
    val values = Statistics.getBuilderForReading(column.getPrimitiveType)
    val count = if (in.readBoolean()) {
      val rows = in.readLong()
      values.withNumNulls(in.readLong())
      if (in.readBoolean()) values.withMin(readValue(in)).withMax(readValue(in))
      rows
    } else 1L // that of statistics that are unknown is not looked at
    ColumnChunkMetaData.get(
      path,
      column.getPrimitiveType,
      CompressionCodecName.UNCOMPRESSED,
      None.orNull,
      Collections.emptySet[Encoding],
      values.build(),
      0L,
      0L,
      count,
      0L,
      0L
    )
  }

  private def readValue(in: DataInputStream): Array[Byte] = {
    val value = new Array[Byte](in.readInt())
    in.readFully(value)
    value
  }

  private def converter = new ParquetMetadataConverter

  private val formatVersion = 1

  /** Whether a key of Spark's says which calendar the dates have. Its schema is left out. */
  private def isOfCalendar(key: String): Boolean =
    key.startsWith("org.apache.spark.") && !key.contains(".sql.")

  private def isEncrypted(footer: ParquetMetadata): Boolean =
    Option(footer.getFileMetaData.getEncryptionType).exists(_ != EncryptionType.UNENCRYPTED)
}
