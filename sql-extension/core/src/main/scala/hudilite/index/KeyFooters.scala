package hudilite.index

import java.lang.ref.SoftReference
import java.util.concurrent.ConcurrentHashMap

import org.apache.hadoop.conf.Configuration

import hudilite.view.{FileSlice, OpenedFile}

/** Footers of base files as this JVM has read them. A base file never changes, so what was read
  * stays right: after a commit only its own files are read. Filters are let go of where memory is
  * short. */
private[index] object KeyFooters {
  private type File = (String, Long)

  /** Some hundred bytes each. */
  private val mostKept = 500000
  private val kept = new ConcurrentHashMap[File, Kept]

  private final case class Kept(footer: KeyFooter, filter: Option[SoftReference[BloomFilter]])

  /** What the footer tells, its filter perhaps not among it.
    * @param onRead called where the file is opened */
  def of(slice: FileSlice, conf: Configuration)(onRead: () => Unit): KeyFooter =
    Option(kept.get(file(slice))).map(_.footer).getOrElse(read(slice, conf, onRead))

  /** The filter of a footer. */
  def filter(slice: FileSlice, conf: Configuration)(onRead: () => Unit): Option[BloomFilter] =
    Option(kept.get(file(slice))) match {
      case Some(Kept(_, None)) => None
      case Some(Kept(_, Some(soft))) if soft.get != null => Some(soft.get.shared)
      case _ => read(slice, conf, onRead).filter
    }

  private def read(slice: FileSlice, conf: Configuration, onRead: () => Unit): KeyFooter = {
    onRead()
    val footer = OpenedFile(slice, conf)(r => KeyFooter.of(r.getFooter, slice.path.toString))
    if (kept.size >= mostKept) kept.clear()
    val filter = footer.filter.map(new SoftReference(_))
    kept.put(file(slice), Kept(footer.copy(filter = None), filter)): Unit
    footer
  }

  private def file(slice: FileSlice): File = (slice.path.toString, slice.length)
}
