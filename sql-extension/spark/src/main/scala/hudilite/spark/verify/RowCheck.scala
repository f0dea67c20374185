package hudilite.spark.verify

import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.{Bucket, FooterKey, LogBlock, MetaFields, PartitionPath}
import hudilite.index.{BloomFilter, BucketIndex}
import hudilite.verify.TableCheck
import hudilite.view.FileSlice

/** Check of the rows of one base file or of one block of a log file, one at a time. Runs in a task.
  *
  * A carried-over row keeps the commit time of its last change, but its `_hoodie_file_name` must be
  * that of the file it is in: stock Hudi and hudilite rewrite it.
  * @param slice  slice of the file
  * @param place  what the file says of its rows
  * @param faults collects the faults
  * Source: hudi-format §4.4, §4.6, §5, §6, §8; faults F47, F48, F51, F52. */
final private[verify] class RowCheck(
    facts: RowCheckFacts,
    slice: FileSlice,
    place: RowCheck.Place,
    faults: RowFaults
) {
  private val keyTexts = facts.keyTexts
  private val partitionTexts = facts.partitionTexts
  private val texts = UnsafeProjection.create(keyTexts ++ partitionTexts.getOrElse(Seq.empty))
  private val at = MetaFields.all.zipWithIndex.toMap
  private val hashFields = facts.config.hashFields.toArray
  private var rows = 0L
  private var last = UTF8String.EMPTY_UTF8
  private val partition = UTF8String.fromString(slice.partition)

  def apply(row: InternalRow): Unit = {
    lazy val known = texts(row) // a partial update does not have all columns
    checkMeta(row)
    text(row, MetaFields.RecordKey).filter(_.numBytes > 0) match {
      case None => faults.add("KEY_MISSING", None)("_hoodie_record_key is null or empty")
      case Some(key) =>
        checkBucket(key)
        checkFooter(key)
        if (!place.isPartial) checkKey(key, known)
        checkOrder(key)
        checkOrdering(row, key)
    }
    if (!place.isPartial) checkFolder(row, known)
    rows += 1
  }

  private def text(row: InternalRow, column: String): Option[UTF8String] = {
    val i = at(column)
    if (row.isNullAt(i)) None else Some(row.getUTF8String(i))
  }

  private def sample(row: InternalRow): Option[String] =
    text(row, MetaFields.RecordKey).map(_.toString)

  private def checkMeta(row: InternalRow): Unit = {
    val name = text(row, MetaFields.FileName)
    if (place.fileName.exists(own => !name.exists(_.toString == own)))
      faults.add("FILE_NAME_DIFFERS", sample(row))(s"_hoodie_file_name is ${name.orNull}")
    val folder = text(row, MetaFields.PartitionPath)
    if (!folder.contains(partition))
      faults.add("PARTITION_PATH_DIFFERS", sample(row))(
        s"_hoodie_partition_path is ${folder.orNull}, but the file is in $partition"
      )
    place.sequence.map(_ + rows).foreach { expected =>
      val number = text(row, MetaFields.CommitSeqno).map(_.toString)
      if (!number.contains(expected))
        faults.add("SEQUENCE_DIFFERS", sample(row))(
          s"_hoodie_commit_seqno is ${number.orNull}, but the bootstrap index has $expected"
        )
    }
    val time = text(row, MetaFields.CommitTime).map(_.toString)
    if (!time.exists(t => t <= place.instant && facts.view.isCommitted(t)))
      faults.add("COMMIT_TIME_UNKNOWN", sample(row))(
        s"_hoodie_commit_time is ${time.orNull}, which is no commit up to ${place.instant}"
      )
  }

  /** Checks the bucket of a key. */
  def checkBucket(key: UTF8String): Unit = slice.bucket.foreach { case Bucket(own, n) =>
    val right = BucketIndex.bucketOfKeyUtf8(key, hashFields, n)
    if (right != own)
      faults.add("WRONG_BUCKET", Some(key.toString))(
        s"the key belongs to bucket $right of $n, but the file to bucket $own"
      )
  }

  private def checkFooter(key: UTF8String): Unit = {
    val text = key.toString
    place.range.foreach { case (min, max) =>
      if (text < min || text > max)
        faults.add("KEY_OUT_OF_RANGE", Some(text))(s"the key range in the footer is $min to $max")
    }
    if (place.bloom.exists(!_.mightContain(key)))
      faults.add("BLOOM_LACKS_KEY", Some(text))("the bloom filter does not contain the key")
  }

  private def checkKey(key: UTF8String, known: UnsafeRow): Unit = {
    val ofColumns = keyTexts.indices.filterNot(known.isNullAt).map(known.getUTF8String)
    if (ofColumns.nonEmpty && !ofColumns.contains(key))
      faults.add("KEY_DIFFERS", Some(key.toString))(
        s"its columns result in the key ${ofColumns.head}"
      )
  }

  /** Checks the key order. A merge reads a sorted file once in key order, so it would miss a row
    * that is out of order. */
  private def checkOrder(key: UTF8String): Unit = if (place.isSorted) {
    if (key.compareTo(last) < 0)
      faults.add("ROWS_UNSORTED", Some(key.toString))(
        s"the footer declares the file sorted, but the key follows $last"
      )
    last = key.clone()
  }

  private def checkOrdering(row: InternalRow, key: UTF8String): Unit =
    if (facts.comparedColumns.exists(row.isNullAt))
      faults.add("ORDERING_MISSING", Some(key.toString))("a row has NULL in an ordering field")

  private def checkFolder(row: InternalRow, known: UnsafeRow): Unit = partitionTexts.foreach {
    own =>
      val values = own.indices.map { i =>
        val at = keyTexts.size + i
        if (known.isNullAt(at)) null else known.getString(at)
      }
      val folder = PartitionPath.anyOf(values, facts.config)
      val actual = slice.partition
      if (folder != actual && !PartitionPath.hasSlashes(actual, folder))
        faults.add("PARTITION_COLUMN_DIFFERS", sample(row))(
          s"its partition columns belong to $folder, but the file is in $actual"
        )
  }
}

private[verify] object RowCheck {

  /** What a base file or a block of a log file says of its rows.
    * @param fileName value of `_hoodie_file_name` in its rows, None if it may be another one
    * @param instant  latest instant of its rows
    * @param range    least and greatest record key
    * @param isSorted whether the rows are in the order of their keys
    * @param sequence beginning of `_hoodie_commit_seqno` in a skeleton
    * @param isPartial whether the rows have only the columns that an update changed */
  final case class Place(
      fileName: Option[String],
      instant: String,
      range: Option[(String, String)],
      bloom: Option[BloomFilter],
      isSorted: Boolean,
      sequence: Option[String],
      isPartial: Boolean = false
  )

  /** Returns what a base file says.
    * @param footer footer of the file */
  def ofBase(file: TableCheck.CheckedSlice, footer: FileFooter): Place = Place(
    Some(file.slice.fileName),
    file.slice.instant,
    footer.range,
    Try(footer.bloom(file)).toOption.flatten,
    FooterKey.isSorted(footer.pairs),
    file.slice.source.flatMap(_.sequence)
  )

  /** Returns what a block of a log file says.
    * @param pairs key-value pairs in the footer of a Parquet block */
  def ofBlock(block: LogBlock, pairs: Map[String, String]): Place =
    Place(
      None,
      block.instant.getOrElse(""),
      None,
      None,
      FooterKey.isSorted(pairs),
      None,
      block.isPartial
    )
}
