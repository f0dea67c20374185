package hudilite.spark.write

import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.FooterKey
import hudilite.index.{BloomFilter, FilterText, KeyFooter, Utf16Order}

/** Collects the record keys of one base file for the bloom filter and key range in its footer (task
  * side).
  *
  * Keys of the old file are taken over with its filter and its range; only new keys are hashed.
  * Deleted keys stay in both: filter and range may cover more keys than the file has.
  * Source: hudi-format.md 4.6, 4.7
  *
  * @param carried    filter and range of the old file; None if there are none to take over
  * @param filterType Hudi's type code of a new filter
  * @param avroSchema schema of the file with its meta columns, as JSON
  */
final class FooterKeys(carried: Option[CarriedKeys], avroSchema: String, filterType: String)
    extends FooterPairs {
  private val fresh = new KeyBuffer
  private var range: Option[(String, String)] = carried.flatMap(_.range)
  private var lastFresh: Option[UTF8String] = None

  /** True if the old file's footer does not cover its keys. */
  override val needsAllKeys: Boolean = carried.isEmpty

  override def add(key: UTF8String): Unit = {
    carried match {
      case Some(of) => of.filter.add(key)
      case None => fresh.add(key)
    }
    if (lastFresh.isEmpty || Utf16Order.mayTurn(key)) widen(key.toString)
    lastFresh = Some(key.clone())
  }

  override def footer(rows: Long): Map[String, String] = {
    lastFresh.foreach(key => widen(key.toString))
    val bloom = carried match {
      case Some(of) => if (lastFresh.isEmpty) of.text else FilterText.of(of.filter)
      case None =>
        val sized = BloomFilter.create(fresh.size, typeCode = filterType)
        fresh.foreach(sized.add)
        fresh.clear()
        FilterText.of(sized)
    }
    val bounds = if (rows == 0) None else range
    KeyFooter.pairs(bloom, bounds, isSorted = true) + (FooterKey.avroSchema -> avroSchema)
  }

  private def widen(key: String): Unit =
    range = range match {
      case None => Some((key, key))
      case Some((min, max)) =>
        Some((if (key < min) key else min, if (key > max) key else max))
    }
}

/** Bloom filter and key range that a new file takes over from the old one. The filter's text is
  * copied as it is unless keys are added. */
final case class CarriedKeys(text: FilterText, range: Option[(String, String)]) {
  lazy val filter: BloomFilter = text.filter
}

object FooterKeys {

  /** Maximum rows of a filter that is taken over. One that has grown beyond this is rebuilt for the
    * number of keys in the file. */
  private val mostFilterRows = 8

  /** Returns filter and range from the footer of the old file; None if its keys must be read. */
  def carried(footer: Map[String, String], rows: Long, path: String): Option[CarriedKeys] = {
    val range = for {
      min <- footer.get(FooterKey.minKey)
      max <- footer.get(FooterKey.maxKey)
    } yield (min, max)
    for {
      // A filter without a checksum comes from another writer and may be damaged.
      filter <- KeyFooter.checkedFilter(footer, path)
      if range.nonEmpty || rows == 0
      if filter.rowCount <= mostFilterRows
    } yield CarriedKeys(filter, range)
  }
}
