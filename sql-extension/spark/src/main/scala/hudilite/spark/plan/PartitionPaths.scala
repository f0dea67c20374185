package hudilite.spark.plan

import java.util.Arrays

import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.PartitionPath

/** Paths of the partitions of rows, each built and checked once for many rows; generated code calls
  * it (task side). The path of the latest partition is compared first. Of the others, as many as
  * there are slots are known. What is known never changes, so threads may share it.
  *
  * @param fields    partition columns
  * @param hiveStyle whether folders are `field=value`
  * @param urlEncode whether special characters are percent-escaped
  * @param dates     partition columns whose texts are dates, which may be several folders */
final class PartitionPaths(
    fields: Seq[String],
    hiveStyle: Boolean,
    urlEncode: Boolean,
    dates: Seq[String]
) {
  import PartitionPaths._

  private val known = Array.fill(slots)(none)
  private var latest = none

  /** Returns the path of a partition.
    * @param values texts of its values, which may be null; the caller may change the array later
    * Errors: those of [[PartitionPath.encode]]. */
  def of(values: Array[UTF8String]): UTF8String = {
    val last = latest
    if (last.isOf(values)) last.path
    else {
      val found = find(values)
      latest = found
      found.path
    }
  }

  private def find(values: Array[UTF8String]): Known = {
    val slot = Arrays.hashCode(values.asInstanceOf[Array[AnyRef]]) & (slots - 1)
    val there = known(slot)
    if (there.isOf(values)) there
    else {
      val made = new Known(values.map(value => Option(value).map(_.copy()).orNull), path(values))
      known(slot) = made
      made
    }
  }

  private def path(values: Array[UTF8String]): UTF8String = {
    val texts = values.toSeq.map(value => Option(value).map(_.toString).orNull)
    UTF8String.fromString(PartitionPath.encode(fields, texts, hiveStyle, urlEncode, dates))
  }
}

object PartitionPaths {
  private val slots = 1 << 10
  private val none = new Known(Array.empty, UTF8String.EMPTY_UTF8)

  private final class Known(values: Array[UTF8String], val path: UTF8String) {
    def isOf(others: Array[UTF8String]): Boolean = {
      var i = values.length
      while (i > 0 && values(i - 1) == others(i - 1)) i -= 1
      i == 0 && values.length == others.length
    }
  }
}
