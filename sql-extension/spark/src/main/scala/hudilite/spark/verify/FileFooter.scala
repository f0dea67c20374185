package hudilite.spark.verify

import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.NonFatal

import org.apache.avro.{AvroRuntimeException, Schema}
import org.apache.hadoop.conf.Configuration

import hudilite.format.{FooterKey, MetaFields, TableConfig}
import hudilite.index.{BloomFilter, KeyFooter, KeyRange}
import hudilite.verify.{Finding, TableCheck}
import hudilite.view.OpenedFile

/** Footer of a base file, and checks of it. Runs in a task.
  * @param pairs   key-value pairs of the footer
  * @param columns names of the file's columns
  * @param rows    number of the file's rows
  * @param keys    bounds of its record keys from Parquet's column statistics */
final class FileFooter(
    val pairs: Map[String, String],
    columns: Set[String],
    rows: Long,
    keys: Option[KeyRange]
) {

  /** Least and greatest record key from Hudi's key-value pairs, None if one of them is missing. */
  def range: Option[(String, String)] = KeyFooter.bounds(pairs)

  /** Returns the bloom filter, whatever its checksum, or None if the footer has none. Stock Hudi
    * writes no type code for a SIMPLE filter.
    * Errors: HUDILITE_CORRUPT_DATA_FILE. */
  def bloom(file: TableCheck.CheckedSlice): Option[BloomFilter] =
    KeyFooter.storedFilter(pairs, file.place)

  /** Returns why the bloom index would miss keys of this file or do more work than necessary, as
    * one of the codes in docs/procedures/verify.md. Uses the footer alone. */
  def indexFault(file: TableCheck.CheckedSlice): Option[String] =
    (absent(file, needsFilter = true) ++ bounds(file)).headOption.map(_.code)
      .orElse(Option.when(keys.exists(lies))("KEY_OUT_OF_RANGE"))
      .orElse(Option.when(KeyFooter.hasAlteredFilter(pairs))("BLOOM_CHECKSUM_DIFFERS"))
      .orElse(bloom(file).filter(_.falsePositiveRate > FileFooter.mostFalse)
        .map(_ => "BLOOM_OVERFULL"))

  /** Returns [[indexFault]], or else the fault that the first wrong key shows.
    * @param all keys of the file; read only if the footer has no fault */
  def keyFault(file: TableCheck.CheckedSlice, all: => Iterator[String]): Option[String] =
    indexFault(file).orElse {
      val filter = bloom(file)
      def denied(key: String) = filter.exists(!_.mightContain(key.getBytes("UTF-8")))
      all.collectFirst {
        case key if isOutside(key) => "KEY_OUT_OF_RANGE"
        case key if denied(key) => "BLOOM_LACKS_KEY"
      }
    }

  private def lies(known: KeyRange): Boolean =
    Seq(known.min.toString, known.max.toString).exists(isOutside)

  /** Whether a key is outside the range of Hudi's key-value pairs, which is in the order of UTF-16
    * units. */
  private def isOutside(key: String): Boolean =
    range.exists { case (min, max) => key < min || key > max }

  private def bloomKey: String =
    Seq(FooterKey.bloom, FooterKey.oldBloom).find(pairs.contains).getOrElse(FooterKey.bloom)

  /** Returns the faults that show without reading rows.
    * @param config properties of the table. Its files may lack meta columns, and with them the facts
    *               of their keys in the footer; those of a table with buckets need no bloom filter
    * Source: hudi-format §4.4, §4.6-4.7, faults F46-F48. */
  def findings(file: TableCheck.CheckedSlice, config: TableConfig): Seq[Finding] = {
    def known = absent(file, needsFilter = !config.hasBuckets) ++ bounds(file)
    val ofKeys = if (config.hasMetaFields) metaColumns(file).toSeq ++ known else Seq.empty
    ofKeys ++ rowCount(file) ++ schema(file)
  }

  private def metaColumns(file: TableCheck.CheckedSlice): Option[Finding] = {
    val lacking = MetaFields.all.filterNot(columns)
    Option.when(lacking.nonEmpty)(
      Finding.error("META_COLUMN_MISSING", file.place, s"it has no ${lacking.mkString(", ")}")
    )
  }

  private def rowCount(file: TableCheck.CheckedSlice): Option[Finding] =
    file.rows.filter(_ != rows).map { written =>
      val commit = file.slice.instant
      Finding.error(
        "ROW_COUNT_DIFFERS",
        file.place,
        s"commit $commit wrote $written rows, but the file has $rows"
      )
    }

  private def absent(file: TableCheck.CheckedSlice, needsFilter: Boolean): Seq[Finding] = {
    val ends = if (rows == 0) Seq.empty else Seq(FooterKey.minKey, FooterKey.maxKey)
    (FooterKey.avroSchema +: (Option.when(needsFilter)(bloomKey) ++ ends).toSeq)
      .filterNot(pairs.contains)
      .map(key =>
        Finding.warning("FOOTER_KEY_MISSING", file.place,
          s"its footer has no $key, which Hudi's " +
            "bloom index needs and hudilite does not")
      )
  }

  private def schema(file: TableCheck.CheckedSlice): Option[Finding] = {
    def damaged(reason: String) =
      Finding.error("SCHEMA_DAMAGED", file.place,
        s"the Avro schema in its footer is invalid: $reason")
    pairs.get(FooterKey.avroSchema).flatMap { text =>
      try
        Option.when(new Schema.Parser().parse(text).getFields.isEmpty)(damaged("it has no fields"))
      catch { case e: AvroRuntimeException => Some(damaged(FileFooter.firstLine(e))) }
    }
  }

  /** Checks the key range, and the bloom filter against it. The filter must contain both bounds:
    * they are keys of this file, or of an earlier file whose filter was carried over. */
  private def bounds(file: TableCheck.CheckedSlice): Seq[Finding] =
    Finding.attempt(Finding.error("BLOOM_DAMAGED", file.place, _))(bloom(file)) match {
      case Left(damaged) => Seq(damaged)
      case Right(filter) =>
        val ends = range.toSeq.flatMap { case (min, max) => Seq(min, max) }.distinct
        val denied = ends.filter(key =>
          key.nonEmpty && filter.exists(!_.mightContain(key.getBytes("UTF-8")))
        )
        range.filter { case (min, max) => min > max }.toSeq.map { case (min, max) =>
          Finding.error("KEY_RANGE_INVERTED", file.place, s"its footer's key range is $min to $max")
        } ++ denied.headOption.map { key =>
          val denial = "the bloom filter does not contain a bound of the key range"
          Finding.error("BLOOM_LACKS_KEY", file.place, denial, Some(key))
        }
    }
}

object FileFooter {

  /** Highest accepted false positive rate of a bloom filter. Hudi aims at 1e-9. */
  private val mostFalse = 1e-4

  /** Code of the finding for a file whose footer cannot be read. */
  val unreadable = "FOOTER_UNREADABLE"

  /** Reads a footer.
    * @return the footer, or the finding that says why it cannot be read */
  def read(file: TableCheck.CheckedSlice, conf: Configuration): Either[Finding, FileFooter] = {
    val base = file.slice.onlyBase
    try
      Using.resource(OpenedFile.unnamed(base, conf)) { opened =>
        val reader = opened.reader
        val metadata = reader.getFileMetaData
        Right(
          new FileFooter(
            metadata.getKeyValueMetaData.asScala.toMap,
            metadata.getSchema.getFields.asScala.map(_.getName).toSet,
            reader.getRecordCount,
            KeyFooter.ofColumn(reader.getFooter)
          )
        )
      }
    catch {
      case NonFatal(e) => Left(Finding.error(unreadable, file.place, firstLine(e)))
    }
  }

  /** Returns the first line of an error's message, or its class name. */
  def firstLine(fault: Throwable): String =
    Option(fault.getMessage).flatMap(_.linesIterator.nextOption()).getOrElse(fault.getClass.getName)
}
