package hudilite.spark.verify

import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.{FileId, FooterKey, IndexKind, MetaFields, PartitionPath}
import hudilite.index.BucketIndex
import hudilite.verify.TableCheck

/** Check of the rows of one base file, one at a time. Runs in a task.
  *
  * A carried-over row keeps the commit time of its last change, but its `_hoodie_file_name` must be
  * that of the file it is in: stock Hudi and hudilite rewrite it.
  * @param footer footer of the file
  * @param faults collects the faults
  * Source: hudi-format §4.4, §4.6, §5, §6, §8; faults F47, F48, F51, F52. */
final private[verify] class RowCheck(
    facts: RowCheckFacts,
    file: TableCheck.CheckedSlice,
    footer: FileFooter,
    faults: RowFaults
) {
  private val keyTexts = facts.keyTexts
  private val partitionTexts = facts.partitionTexts
  private val texts = UnsafeProjection.create(keyTexts ++ partitionTexts.getOrElse(Seq.empty))
  private val at = MetaFields.all.zipWithIndex.toMap
  private val bloom = Try(footer.bloom(file)).toOption.flatten
  private val range = footer.range
  private val bucket = facts.config.index match {
    case IndexKind.Bucket(n, fields) =>
      FileId.bucketOf(file.slice.fileId).map(b => (b, n, fields.toArray))
    case IndexKind.Bloom => None
  }
  private val isSorted = FooterKey.isSorted(footer.pairs)
  private val sequence = file.slice.source.flatMap(_.sequence)
  private var rows = 0L
  private var last = UTF8String.EMPTY_UTF8
  private val fileName = UTF8String.fromString(file.slice.fileName)
  private val partition = UTF8String.fromString(file.slice.partition)

  def apply(row: InternalRow): Unit = {
    val known = texts(row)
    checkMeta(row)
    text(row, MetaFields.RecordKey).filter(_.numBytes > 0) match {
      case None => faults.add("KEY_MISSING", None)("_hoodie_record_key is null or empty")
      case Some(key) =>
        checkBucket(key)
        checkFooter(key)
        checkKey(key, known)
        checkOrder(key)
    }
    checkFolder(row, known)
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
    if (!name.contains(fileName))
      faults.add("FILE_NAME_DIFFERS", sample(row))(s"_hoodie_file_name is ${name.orNull}")
    val folder = text(row, MetaFields.PartitionPath)
    if (!folder.contains(partition))
      faults.add("PARTITION_PATH_DIFFERS", sample(row))(
        s"_hoodie_partition_path is ${folder.orNull}, but the file is in $partition"
      )
    sequence.map(_ + rows).foreach { expected =>
      val number = text(row, MetaFields.CommitSeqno).map(_.toString)
      if (!number.contains(expected))
        faults.add("SEQUENCE_DIFFERS", sample(row))(
          s"_hoodie_commit_seqno is ${number.orNull}, but the bootstrap index has $expected"
        )
    }
    val time = text(row, MetaFields.CommitTime).map(_.toString)
    if (!time.exists(t => t <= file.slice.instant && facts.view.isCommitted(t)))
      faults.add("COMMIT_TIME_UNKNOWN", sample(row))(
        s"_hoodie_commit_time is ${time.orNull}, which is no commit up to ${file.slice.instant}"
      )
  }

  private def checkBucket(key: UTF8String): Unit = bucket.foreach { case (own, n, fields) =>
    val right = BucketIndex.bucketOfKeyUtf8(key, fields, n)
    if (right != own)
      faults.add("WRONG_BUCKET", Some(key.toString))(
        s"the key belongs to bucket $right of $n, but the file to bucket $own"
      )
  }

  private def checkFooter(key: UTF8String): Unit = {
    val text = key.toString
    range.foreach { case (min, max) =>
      if (text < min || text > max)
        faults.add("KEY_OUT_OF_RANGE", Some(text))(s"the key range in the footer is $min to $max")
    }
    if (bloom.exists(!_.mightContain(key)))
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
  private def checkOrder(key: UTF8String): Unit = if (isSorted) {
    if (key.compareTo(last) < 0)
      faults.add("ROWS_UNSORTED", Some(key.toString))(
        s"the footer declares the file sorted, but the key follows $last"
      )
    last = key.clone()
  }

  private def checkFolder(row: InternalRow, known: UnsafeRow): Unit = partitionTexts.foreach {
    own =>
      val values = own.indices.map { i =>
        val place = keyTexts.size + i
        if (known.isNullAt(place)) null else known.getString(place)
      }
      val folder = PartitionPath.anyOf(values, facts.config)
      val actual = file.slice.partition
      if (folder != actual && !PartitionPath.hasSlashes(actual, folder))
        faults.add("PARTITION_COLUMN_DIFFERS", sample(row))(
          s"its partition columns belong to $folder, but the file is in $actual"
        )
  }
}
