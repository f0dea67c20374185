package hudilite.procedures

import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.NonFatal

import org.apache.avro.{AvroRuntimeException, Schema}
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile

import hudilite.format.{FooterKey, MetaFields}
import hudilite.index.{BloomFilter, KeyFooter, KeyRange}
import hudilite.verify.{Finding, TableCheck}

/** What the footer of a base file says (task side).
  * @param pairs   its key-value pairs
  * @param columns names of the file's columns
  * @param keys    bounds of its record keys as Parquet tells them
  * @param rows    number of its rows */
private[procedures] final class FileFooter(
    val pairs: Map[String, String],
    columns: Set[String],
    rows: Long,
    keys: Option[KeyRange]
) {

  /** Least and greatest record key, where both are told. */
  def range: Option[(String, String)] =
    pairs.get(FooterKey.minKey).zip(pairs.get(FooterKey.maxKey))

  /** The bloom filter, nothing where it is absent; stock leaves the code of a SIMPLE one out.
    * Errors: HUDILITE_CORRUPT_DATA_FILE. */
  def bloom(file: TableCheck.BaseFile): Option[BloomFilter] =
    KeyFooter.storedFilter(pairs, file.place)

  /** Why an index of bloom filters would find keys wrongly or with more work than need be in this
    * file, one of the codes in docs/procedures.md. */
  def indexFault(file: TableCheck.BaseFile): Option[String] =
    (absent(file) ++ bounds(file)).headOption.map(_.code)
      .orElse(Option.when(keys.exists(lies))("KEY_OUT_OF_RANGE"))
      .orElse(Option.when(KeyFooter.hasAlteredFilter(pairs))("BLOOM_CHECKSUM_DIFFERS"))
      .orElse(bloom(file).filter(_.falsePositiveRate > FileFooter.mostFalse)
        .map(_ => "BLOOM_OVERFULL"))

  /** The same where the keys tell it, and not the footer alone.
    * @param all keys of the file */
  def keyFault(file: TableCheck.BaseFile, all: => Iterator[String]): Option[String] =
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

  /** Whether it is outside of what Hudi's pairs say; these go by UTF-16 units. */
  private def isOutside(key: String): Boolean =
    range.exists { case (min, max) => key < min || key > max }

  private def bloomKey: String =
    Seq(FooterKey.bloom, FooterKey.oldBloom).find(pairs.contains).getOrElse(FooterKey.bloom)

  /** What is wrong with the footer by itself. Source: hudi-format §4.4, §4.6-4.7, faults F46-F48. */
  def findings(file: TableCheck.BaseFile): Seq[Finding] =
    metaColumns(file).toSeq ++ rowCount(file) ++ absent(file) ++ schema(file) ++ bounds(file)

  private def metaColumns(file: TableCheck.BaseFile): Option[Finding] = {
    val lacking = MetaFields.all.filterNot(columns)
    Option.when(lacking.nonEmpty)(
      Finding.error("META_COLUMN_MISSING", file.place, s"it has no ${lacking.mkString(", ")}")
    )
  }

  private def rowCount(file: TableCheck.BaseFile): Option[Finding] =
    file.rows.filter(_ != rows).map { told =>
      val commit = file.slice.instant
      Finding.error(
        "ROW_COUNT_DIFFERS",
        file.place,
        s"commit $commit counted $told rows, the file has $rows"
      )
    }

  private def absent(file: TableCheck.BaseFile): Seq[Finding] = {
    val ends = if (rows == 0) Seq.empty else Seq(FooterKey.minKey, FooterKey.maxKey)
    (Seq(FooterKey.avroSchema, bloomKey) ++ ends)
      .filterNot(pairs.contains)
      .map(key =>
        Finding.warning("FOOTER_KEY_MISSING", file.place,
          s"its footer has no $key: Hudi's index " +
            "of bloom filters needs it, hudilite does without")
      )
  }

  private def schema(file: TableCheck.BaseFile): Option[Finding] = {
    def damaged(reason: String) =
      Finding.error("SCHEMA_DAMAGED", file.place, s"the Avro schema in its footer is none: $reason")
    pairs.get(FooterKey.avroSchema).flatMap { text =>
      try
        Option.when(new Schema.Parser().parse(text).getFields.isEmpty)(damaged("it has no fields"))
      catch { case e: AvroRuntimeException => Some(damaged(FileFooter.told(e))) }
    }
  }

  /** The bounds were keys of the file, or of one before it whose filter it took over. */
  private def bounds(file: TableCheck.BaseFile): Seq[Finding] =
    Finding.attempt(Finding.error("BLOOM_DAMAGED", file.place, _))(bloom(file)) match {
      case Left(damaged) => Seq(damaged)
      case Right(filter) =>
        val ends = range.toSeq.flatMap { case (min, max) => Seq(min, max) }.distinct
        val denied = ends.filter(key =>
          key.nonEmpty && filter.exists(!_.mightContain(key.getBytes("UTF-8")))
        )
        range.filter { case (min, max) => min > max }.toSeq.map { case (min, max) =>
          Finding.error("KEY_RANGE_INVERTED", file.place, s"its footer's keys go from $min to $max")
        } ++ denied.headOption.map { key =>
          val denial = "the bloom filter denies a bound of the key range"
          Finding.error("BLOOM_LACKS_KEY", file.place, denial, Some(key))
        }
    }
}

private[procedures] object FileFooter {

  /** Part of the absent keys that a filter may let pass; Hudi's wish is 1e-9. */
  private val mostFalse = 1e-4

  /** Code of a file without a readable footer. */
  val unreadable = "FOOTER_UNREADABLE"

  /** @return the footer, or why it cannot be read */
  def read(file: TableCheck.BaseFile, conf: Configuration): Either[Finding, FileFooter] =
    try
      Using.resource(ParquetFileReader.open(HadoopInputFile.fromPath(file.slice.path, conf))) {
        reader =>
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
      case NonFatal(e) => Left(Finding.error(unreadable, file.place, told(e)))
    }

  /** What a reader of Parquet says, on one line. */
  def told(fault: Throwable): String =
    Option(fault.getMessage).flatMap(_.linesIterator.nextOption()).getOrElse(fault.getClass.getName)
}
