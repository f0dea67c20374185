package hudilite.view

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.util.zip.{GZIPInputStream, GZIPOutputStream}

import scala.util.Using
import scala.util.control.NonFatal

import hudilite.error.HudiliteException
import hudilite.timeline.TimelineFiles

/** Footers of base files, as ANALYZE TABLE has stored them. They only tell which files a query
  * need not open: a file without an entry is opened, and the file with them may be deleted at
  * any time. */
private[view] object StoredFooters {
  type Entry = (TableFooters.File, ShortFooter)

  private val version = 1

  /** Stores footers in place of those that are there.
    * @param table uuid of the table
    * Errors: those of [[hudilite.io.Storage.createNew]]. */
  def write(timeline: TimelineFiles, table: String, footers: TableFooters): Unit = {
    val path = timeline.at(timeline.layout.footers)
    val content = bytesOf(table, footers)
    if (!timeline.storage.createNew(path, content)) timeline.storage.replace(path, content)
  }

  /** Reads the footers of a table; none if there are none, if they are those of another table,
    * or if their file is damaged. Returns None if it could not be read: it may be possible
    * later.
    * @param table uuid of the table */
  def read(timeline: TimelineFiles, table: String): Option[Seq[Entry]] =
    content(timeline).map { bytes =>
      try of(bytes, table)
      catch { case NonFatal(_) => Nil }
    }

  private def content(timeline: TimelineFiles): Option[Array[Byte]] =
    try Some(timeline.storage.read(timeline.at(timeline.layout.footers)))
    catch {
      case e: HudiliteException if e.condition == "HUDILITE_MISSING_FILE" => Some(Array.empty)
      case NonFatal(_) => None
    }

  /** Compressed, with the checksum of gzip at the end, so that a cut or altered file is noticed. */
  private def bytesOf(table: String, footers: TableFooters): Array[Byte] = {
    val kinds = footers.kinds.keys.toVector
    val numbers = kinds.zipWithIndex.toMap
    val content = new ByteArrayOutputStream
    Using.resource(new DataOutputStream(new GZIPOutputStream(content))) { out =>
      out.writeInt(version)
      out.writeUTF(table)
      out.writeInt(kinds.size)
      kinds.foreach(kind => write(kind.footer, out))
      val judged = footers.files.toSeq.collect { case (file, Some(footer)) => file -> footer }
      out.writeInt(judged.size)
      judged.foreach { case (file, footer) =>
        out.writeUTF(file.place)
        out.writeLong(file.length)
        out.writeInt(numbers(footer.kind))
        write(footer.bounds, out)
      }
    }
    content.toByteArray
  }

  private def of(bytes: Array[Byte], table: String): Seq[Entry] = {
    val content = new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes()
    val in = new DataInputStream(new ByteArrayInputStream(content))
    if (in.readInt() != version || in.readUTF() != table) Nil
    else {
      val kinds = Vector.fill(in.readInt())(new ShortFooter.Kind(read(in)))
      Vector.fill(in.readInt()) {
        val file = TableFooters.File(in.readUTF(), in.readLong())
        file -> new ShortFooter(kinds(in.readInt()), read(in))
      }
    }
  }

  private def write(bytes: Array[Byte], out: DataOutputStream): Unit = {
    out.writeInt(bytes.length)
    out.write(bytes)
  }

  private def read(in: DataInputStream): Array[Byte] = {
    val bytes = new Array[Byte](in.readInt())
    in.readFully(bytes)
    bytes
  }
}
