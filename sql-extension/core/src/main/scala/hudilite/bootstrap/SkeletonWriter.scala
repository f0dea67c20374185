package hudilite.bootstrap

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.{CodecFactory, ParquetFileWriter, ParquetWriter}
import org.apache.parquet.io.OutputFile
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.{FooterKey, MetaFields}
import hudilite.io.{DataFileWriter, NewFile}

/** Writer of one skeleton: the base file with Hudi's meta columns for a source file. Each row group
  * must have as many rows as that of the source file. Not thread-safe.
  * @param file  must not exist yet
  * @param conf  Hadoop configuration, for the codec
  * @param rows  rows of the source file, which determine the size of the bloom filter
  * @param pairs further key-value pairs of the footer
  * Source: hudi-format §4.4-4.7, §8.3 */
final class SkeletonWriter(
    file: OutputFile,
    conf: Configuration,
    layout: SkeletonLayout,
    facts: SkeletonFacts,
    rows: Long,
    pairs: Map[String, String] = Map.empty
) extends DataFileWriter {
  import SkeletonSchema.column

  private val keys = new KeyFacts(rows, layout.filterType)
  private val codecs = new CodecFactory(conf, SkeletonWriter.packedBytes)
  private val compressor = codecs.getCompressor(layout.codec)
  private val writer = SkeletonWriter.open(file)
  private val packed = new ColumnPages(writer, compressor)
  // A single value takes more space compressed.
  private val plain =
    new ColumnPages(writer, codecs.getCompressor(CompressionCodecName.UNCOMPRESSED))
  private val numbers =
    new SequenceColumn(column(MetaFields.CommitSeqno), facts.sequencePrefix, layout.pageRows)
  private var group = Option.empty[KeyChunk]
  private var groupRows, added = 0

  /** Begins a row group. With 0 rows, it does nothing.
    * @param rows rows of the row group
    * @param raw  its keys, if their pages are copied unchanged; the added keys must be the same
    * @throws IllegalArgumentException if `raw` has another number of rows */
  def startGroup(rows: Long, raw: Option[RawKeys] = None): Unit = if (rows > 0) {
    require(raw.forall(_.rows == rows), s"the copied keys are not those of $rows rows")
    groupRows = Math.toIntExact(rows)
    added = 0
    writer.startBlock(rows)
    constant(MetaFields.CommitTime, facts.instant)
    numbers.write(packed, groupRows)
    val ofKeys = column(MetaFields.RecordKey)
    group = Some(raw match {
      case Some(pages) => new CopiedKeyChunk(writer, ofKeys, pages)
      case None => PlainKeyChunk.start(packed, ofKeys, groupRows, layout.pageRows)
    })
  }

  /** Adds the key of the row group's next row.
    * @param key not empty; its bytes may change after the call
    * @throws IllegalStateException outside of a row group, or beyond its rows */
  def add(key: UTF8String): Unit = group match {
    case Some(chunk) if added < groupRows =>
      keys.add(key)
      chunk.add(key)
      added += 1
    case _ => throw new IllegalStateException(s"a key beyond the group's $groupRows rows")
  }

  /** Ends the row group.
    * @throws IllegalStateException if rows are missing */
  def endGroup(): Unit = group.foreach { chunk =>
    if (added < groupRows)
      throw new IllegalStateException(s"$added keys in a group of $groupRows rows")
    keys.add(chunk.end())
    constant(MetaFields.PartitionPath, facts.partition)
    constant(MetaFields.FileName, facts.fileName)
    writer.endBlock()
    group = None
  }

  override def close(): Unit = {
    val footer = keys.pairs ++ SkeletonWriter.constantPairs ++ pairs
    writer.end(footer.asJava)
    codecs.release()
  }

  override def length: Long = writer.getPos

  override def abandon(): Unit =
    try {
      codecs.release()
      file match {
        case created: NewFile => created.abort()
        case _ => ()
      }
      writer.close()
    } catch { case NonFatal(_) => () }

  private def constant(field: String, value: String): Unit =
    ConstantColumn.write(plain, column(field), value, groupRows)
}

object SkeletonWriter {

  /** Initial size in bytes of the buffer for a compressed page. */
  private val packedBytes = 64 << 10

  private val constantPairs = Map(
    FooterKey.avroSchema -> SkeletonSchema.avro,
    ParquetWriter.OBJECT_MODEL_NAME_PROP -> "avro"
  )

  private def open(file: OutputFile): ParquetFileWriter = {
    val writer = new ParquetFileWriter(
      file,
      SkeletonSchema.message,
      ParquetFileWriter.Mode.CREATE,
      ParquetWriter.DEFAULT_BLOCK_SIZE.toLong,
      0, // no padding: the length is the same on every file system
      ParquetProperties.DEFAULT_COLUMN_INDEX_TRUNCATE_LENGTH,
      ParquetProperties.DEFAULT_STATISTICS_TRUNCATE_LENGTH,
      ParquetProperties.DEFAULT_PAGE_WRITE_CHECKSUM_ENABLED
    )
    writer.start()
    writer
  }
}
