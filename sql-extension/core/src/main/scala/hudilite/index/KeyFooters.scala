package hudilite.index

import java.lang.ref.SoftReference
import java.util.concurrent.ConcurrentHashMap

import org.apache.parquet.hadoop.metadata.ParquetMetadata

import hudilite.view.FileSlice

/** Cache of the base file footers that this JVM has read. A base file never changes, so an entry
  * stays valid, and after a commit only its own files are read. Large parts are released when
  * memory is short. */
private[index] object KeyFooters {

  /** Parsed parts of a footer.
    * @param footer    rows and range, without the filter
    * @param columns   footer with the key column only, or with all columns if Parquet's reader read
    *                  it
    * @param filter    None if it was not read; Some(None) if there is no usable one
    * @param isAltered whether there is no usable filter because it does not match its checksum */
  final case class Known(
      footer: KeyFooter,
      columns: ParquetMetadata,
      filter: Option[Option[BloomFilter]],
      isAltered: Boolean
  )

  /** Maximum number of entries, which have a few hundred bytes each. */
  private val mostKept = 500000
  private val kept = new ConcurrentHashMap[(String, Long), (KeyFooter, SoftReference[Known])]

  /** Returns the rows and the range of a file, None if they are not in the cache. */
  def footer(slice: FileSlice): Option[KeyFooter] = Option(kept.get(file(slice))).map(_._1)

  def known(slice: FileSlice): Option[Known] =
    Option(kept.get(file(slice))).flatMap { case (_, soft) => Option(soft.get) }

  def keep(slice: FileSlice, known: Known): Unit = {
    if (kept.size >= mostKept) kept.clear()
    kept.put(file(slice), (known.footer, new SoftReference(known))): Unit
  }

  private def file(slice: FileSlice): (String, Long) = {
    val base = slice.onlyBase
    (base.path.toString, base.length)
  }
}
