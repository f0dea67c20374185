package hudilite.index

import java.lang.ref.SoftReference
import java.util.concurrent.ConcurrentHashMap

import org.apache.parquet.hadoop.metadata.ParquetMetadata

import hudilite.view.FileSlice

/** Footers of base files as this JVM has read them. A base file never changes, so what was read
  * stays right: after a commit only its own files are read. What is large is let go of where memory
  * is short. */
private[index] object KeyFooters {

  /** @param footer  rows and range, without the filter
    * @param columns the footer, of the columns that of the keys alone
    * @param filter  None where it was not read; nothing in it where there is none
    * @param isAltered whether there is none as it does not fit its checksum */
  final case class Known(
      footer: KeyFooter,
      columns: ParquetMetadata,
      filter: Option[Option[BloomFilter]],
      isAltered: Boolean
  )

  /** Some hundred bytes each. */
  private val mostKept = 500000
  private val kept = new ConcurrentHashMap[(String, Long), (KeyFooter, SoftReference[Known])]

  /** Rows and range of a file. */
  def footer(slice: FileSlice): Option[KeyFooter] = Option(kept.get(file(slice))).map(_._1)

  def known(slice: FileSlice): Option[Known] =
    Option(kept.get(file(slice))).flatMap { case (_, soft) => Option(soft.get) }

  def keep(slice: FileSlice, known: Known): Unit = {
    if (kept.size >= mostKept) kept.clear()
    kept.put(file(slice), (known.footer, new SoftReference(known))): Unit
  }

  private def file(slice: FileSlice): (String, Long) = (slice.path.toString, slice.length)
}
