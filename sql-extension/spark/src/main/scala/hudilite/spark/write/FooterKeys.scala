package hudilite.spark.write

import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.FooterKey
import hudilite.index.{KeyFooter, Utf16Order}

/** Collects the record keys of one base file for the key range and the bloom filter in its footer, as
  * a plan says (task side).
  * Source: hudi-format.md 4.6, 4.7
  *
  * @param avroSchema schema of the file with its meta columns, as JSON
  * @param filterType Hudi's type code of a filter that is not taken over
  */
final class FooterKeys(plan: FooterPlan, avroSchema: String, filterType: String)
    extends FooterPairs {
  private val filter = NewFilter.of(plan.filter, filterType)
  private var range: Option[(String, String)] = plan.range
  private var last: Option[UTF8String] = None

  override val needsAllKeys: Boolean = plan.needsAllKeys

  override def add(key: UTF8String): Unit = {
    filter.add(key)
    if (last.isEmpty || Utf16Order.mayTurn(key)) widen(key.toString)
    last = Some(key.clone())
  }

  override def footer(rows: Long): Map[String, String] = {
    last.foreach(key => widen(key.toString))
    val bounds = if (rows == 0) None else range
    KeyFooter.pairs(filter.finish(), bounds, isSorted = true) +
      (FooterKey.avroSchema -> avroSchema)
  }

  private def widen(key: String): Unit =
    range = range match {
      case None => Some((key, key))
      case Some((min, max)) =>
        Some((if (key < min) key else min, if (key > max) key else max))
    }
}
