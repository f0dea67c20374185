package hudilite.spark.merge

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.crypto.EncryptionPropertiesFactory
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.{IntegerType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.locate.TaggedRow
import hudilite.spark.write.{BaseFileWriter, CopyRules}

/** Part of the merge of a large file group, for one task: a range of the base file's row groups, and
  * the source rows whose keys belong there. A key between two row groups belongs to the first one.
  *
  * @param partition partition path of the file group
  * @param number    its bucket, or its number in a table without buckets
  * @param source    partition of the tagged source that contains the file group's rows
  * @param from      index of the first row group among those that have rows
  * @param until     index after the last one
  * @param least     least key of the first row group; None in the first part, which has all lesser
  *                  keys, too
  * @param end       least key of the next part; None in the last part
  */
final case class MergePart(
    partition: String,
    number: Int,
    source: Int,
    from: Int,
    until: Int,
    least: Option[UTF8String],
    end: Option[UTF8String]
) {
  private lazy val path = UTF8String.fromString(partition)

  /** Whether a tagged row is a source row with a key of this part. */
  def holds(row: InternalRow): Boolean =
    TaggedRow.hasKey(row) && TaggedRow.hasFileGroup(row) && TaggedRow.fileGroup(row) == number &&
      TaggedRow.hasPartition(row) && TaggedRow.partition(row) == path && {
        val key = TaggedRow.key(row)
        least.forall(_.compareTo(key) <= 0) && end.forall(key.compareTo(_) < 0)
      }

  def toRow: InternalRow = new GenericInternalRow(
    Array[Any](path, number, source, from, until, least.orNull, end.orNull)
  )
}

object MergePart {
  val schema: StructType = new StructType()
    .add("partition", StringType, nullable = false)
    .add("number", IntegerType, nullable = false)
    .add("source", IntegerType, nullable = false)
    .add("from", IntegerType, nullable = false)
    .add("until", IntegerType, nullable = false)
    .add("least", StringType)
    .add("end", StringType)

  def fromRow(row: InternalRow): MergePart = {
    def key(i: Int) = Option.when(!row.isNullAt(i))(row.getUTF8String(i).clone())
    MergePart(row.getString(0), row.getInt(1), row.getInt(2), row.getInt(3), row.getInt(4), key(5),
      key(6))
  }

  /** Returns the parts in which a base file is merged, of about equal size; none if one task merges
    * it, because it is not large or no new file may copy its bytes.
    * @param source partition of the tagged source */
  def of(
      old: OldBaseFile,
      number: Int,
      source: Int,
      facts: MergeTaskFacts,
      conf: Configuration
  ): Seq[MergePart] = {
    val limits = facts.split
    val sizes = old.rowGroups.map(_.block.getCompressedSize)
    val wanted = math.min(limits.most.toLong, 1 + sizes.sum * partsOfLimit / limits.above).toInt
    val starts =
      if (wanted > 1 && isCopied(old, facts, conf)) cuts(old.rowGroups, sizes, wanted) else Nil
    val bounds = 0 +: starts :+ old.rowGroups.size
    if (starts.isEmpty) Nil
    else
      bounds.zip(bounds.drop(1)).map { case (from, until) =>
        MergePart(
          old.slice.partition,
          number,
          source,
          from,
          until,
          if (from == 0) None else leastKey(old.rowGroups(from)),
          if (until == old.rowGroups.size) None else leastKey(old.rowGroups(until))
        )
      }
  }

  /** Number of parts of a base file that just exceeds the limit. */
  private val partsOfLimit = 4L

  private def isCopied(old: OldBaseFile, facts: MergeTaskFacts, conf: Configuration): Boolean =
    (MergeMode.of(old, facts.layout) match {
      case MergeMode.ByRowGroups(_, barrier) => barrier.isEmpty
      case MergeMode.RowByRow(_, _) => false
    }) && Option(EncryptionPropertiesFactory.loadFactory(conf)).isEmpty &&
      CopyRules
        .canCopy(old.opened.reader.getFooter, BaseFileWriter.message(conf, facts.fileSchema))
        .isRight

  /** Returns the indexes of the row groups with which all parts but the first begin. Keys may not
    * overlap there. */
  private def cuts(
      rowGroups: IndexedSeq[OldRowGroup],
      sizes: IndexedSeq[Long],
      wanted: Int
  ): Seq[Int] = {
    val before = sizes.scanLeft(0L)(_ + _)
    val possible = rowGroups.indices.drop(1).filter { i =>
      rowGroups(i - 1).keys.exists(a => rowGroups(i).keys.exists(b => a.max.compareTo(b.min) < 0))
    }
    (1 until wanted).flatMap { n =>
      val ideal = before.last * n / wanted
      possible.minByOption(i => math.abs(before(i) - ideal))
    }.distinct.sorted
  }

  private def leastKey(rowGroup: OldRowGroup): Option[UTF8String] = rowGroup.keys.map(_.min)
}
