package hudilite.index

import java.nio.{ByteBuffer, ByteOrder}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.filter2.compat.FilterCompat
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.io.SeekableInputStream
import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.KeyFooters.Known
import hudilite.io.FewReads
import hudilite.view.{FileSlice, OpenedFile}

/** Reader of one base file for the lookup of keys. It opens the file at most once, unless only
  * Parquet's own reader can read the footer. It reads only the part of the footer that is needed.
  * Source: performance §4.3.
  *
  * Errors of all methods: HUDILITE_MISSING_DATA_FILE, HUDILITE_SNAPSHOT_EXPIRED,
  * HUDILITE_CORRUPT_DATA_FILE, HUDILITE_PATH_INVALID.
  * @param counts counters to increment */
private[index] final class KeyFile(slice: FileSlice, conf: Configuration, counts: LookupCounts)
    extends AutoCloseable {
  private val base = slice.onlyBase
  private lazy val file = OpenedFile.listed(base, conf)
  private var stream = Option.empty[SeekableInputStream]

  /** Number of rows and range of the keys. */
  def footer: KeyFooter = KeyFooters.footer(slice).getOrElse(read(isWhole = false).footer)

  /** Whether a filter that was read before is in the cache. */
  def hasFilterAtHand: Boolean = KeyFooters.known(slice).exists(_.filter.flatten.nonEmpty)

  /** Filter of the file, None if there is none that matches its checksum. */
  def filter: Option[BloomFilter] = {
    val found = known(_.filter.nonEmpty, isWhole = true)
    if (found.isAltered) counts.altered += 1
    found.filter.flatten.map(_.shared)
  }

  /** Calls `visit` with each key that may be in `sought`, from the pages that are not skipped.
    * Closes the file. */
  def keys(pages: FilterCompat.Filter, sought: KeyTable)(visit: UTF8String => Unit): Unit = {
    val columns = known(_ => true, isWhole = false).columns
    OpenedFile.named(slice, conf) {
      val options = HadoopReadOptions.builder(conf, base.path)
        .withRecordFilter(pages)
        .withUseHadoopVectoredIo(base.path.toUri.getScheme != "file") // local: it costs threads
        .build()
      val opened = open()
      stream = None // the reader closes it, also if it fails
      Using.resource(ParquetFileReader.open(file, columns, options, opened)) {
        KeyColumn.foreach(_, sought)(visit)
      }
    }
  }

  override def close(): Unit = {
    stream.foreach(_.close())
    stream = None
  }

  private def known(isEnough: Known => Boolean, isWhole: Boolean): Known =
    KeyFooters.known(slice).filter(isEnough).getOrElse(read(isWhole))

  private def read(isWhole: Boolean): Known = {
    val found = OpenedFile
      .named(slice, conf)(parsed(isWhole).orElse(parsed(isWhole = true)))
      .getOrElse(plain())
    KeyFooters.keep(slice, found)
    found
  }

  private def parsed(isWhole: Boolean): Option[Known] = {
    if (isWhole) counts.filtersRead += 1 else counts.footersRead += 1
    footerLength.flatMap { length =>
      val read = if (isWhole) length else math.min(length, KeyFile.frontBytes)
      val parsed = FooterBytes.parse(bytes(base.length - KeyFile.tailBytes - length, read))
      parsed.columns.map(facts(_, parsed.pairs)).filter { known =>
        val hasRange = known.footer.rows == 0 || known.footer.range.nonEmpty
        parsed.pairs.nonEmpty || !isWhole && hasRange
      }
    }
  }

  private def facts(columns: ParquetMetadata, pairs: Option[Map[String, String]]): Known = {
    val front = KeyFooter.ofFront(columns)
    val isAltered = pairs.exists(KeyFooter.hasAlteredFilter)
    val filter =
      pairs.map(p => if (isAltered) None else KeyFooter.storedFilter(p, base.path.toString))
    val range = front.range.orElse(pairs.flatMap(KeyFooter.ofPairs))
    Known(front.copy(range = range), columns, filter, isAltered)
  }

  /** Reads the footer with Parquet's own reader, which raises its own errors. */
  private def plain(): Known = {
    counts.opened += 1
    OpenedFile(slice, conf) { opened =>
      val footer = opened.reader.getFooter
      facts(footer, Some(footer.getFileMetaData.getKeyValueMetaData.asScala.toMap))
    }
  }

  /** Length of the footer in bytes, None if the file does not end like a Parquet file. */
  private lazy val footerLength: Option[Int] = {
    val end = base.length - KeyFile.tailBytes
    Option.when(end > 0)(ByteBuffer.wrap(bytes(end, KeyFile.tailBytes)).order(
      ByteOrder.LITTLE_ENDIAN
    )).flatMap { tail =>
      val length = tail.getInt()
      Option.when(tail.getInt() == KeyFile.magic && length > 0 && length < end)(length)
    }
  }

  private def bytes(begin: Long, length: Int): Array[Byte] = {
    val read = new Array[Byte](length)
    val from = open()
    from.seek(begin)
    from.readFully(read)
    read
  }

  private def open(): SeekableInputStream = stream.getOrElse {
    counts.opened += 1
    val opened = FewReads.of(base.path, base.length, file.newStream())
    stream = Some(opened)
    opened
  }
}

private[index] object KeyFile {
  private val tailBytes = 8
  private val magic = 0x31524150 // PAR1
  private val frontBytes = 32 << 10
}
