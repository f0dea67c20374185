package hudilite.spark.write

import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.{BloomFilter, FilterText}

/** Bloom filter of a new base file while its keys come (task side). */
sealed private[write] trait NewFilter {

  /** Adds a key, whose bytes may change after the call. */
  def add(key: UTF8String): Unit

  /** Returns the filter of all added keys, None if the file has none. Called once. */
  def finish(): Option[FilterText]
}

private[write] object NewFilter {
  private val mostChunks = 128 // of keys in memory: those of about a million rows

  /** Returns the filter of a plan.
    * @param typeCode Hudi's type code of a filter that is not taken over */
  def of(plan: FooterPlan.Filter, typeCode: String): NewFilter = plan match {
    case FooterPlan.NoFilter => Absent
    case FooterPlan.OfAllKeys => new OfAllKeys(typeCode)
    case FooterPlan.Extended(old) => new Extended(old)
  }

  private object Absent extends NewFilter {
    override def add(key: UTF8String): Unit = ()
    override def finish(): Option[FilterText] = None
  }

  /** Filter whose size follows from the number of its keys. */
  private final class OfAllKeys(typeCode: String) extends NewFilter {
    private val keys = new RecordBuffer(mostChunks)

    override def add(key: UTF8String): Unit = keys.add(0, key)

    override def finish(): Option[FilterText] = {
      val sized = BloomFilter.create(keys.size, typeCode = typeCode)
      val all = keys.records
      while (all.next()) sized.add(all.text)
      keys.release()
      Some(FilterText.of(sized))
    }
  }

  /** Filter with the bits of an old one, whose text is copied as it is if no key comes. */
  private final class Extended(old: FilterText) extends NewFilter {
    private var isExtended = false
    private lazy val filter = {
      isExtended = true
      old.filter
    }

    override def add(key: UTF8String): Unit = filter.add(key)

    override def finish(): Option[FilterText] =
      Some(if (isExtended) FilterText.of(filter) else old)
  }
}
