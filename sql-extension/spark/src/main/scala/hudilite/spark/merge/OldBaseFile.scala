package hudilite.spark.merge

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.metadata.BlockMetaData

import hudilite.index.{KeyFooter, KeyRange}
import hudilite.io.Closing
import hudilite.spark.write.OldColumnChunks
import hudilite.view.{FileSlice, OpenedFile}

/** Row group of an old base file.
  *
  * @param ordinal  its number in the file
  * @param firstRow number of its first row in the file
  * @param keys     least and greatest record key, if the footer contains them
  */
final case class OldRowGroup(
    ordinal: Int,
    block: BlockMetaData,
    firstRow: Long,
    keys: Option[KeyRange]
) {
  def rows: Long = block.getRowCount
  def endRow: Long = firstRow + rows
}

/** Base file that a merge replaces, open as long as the merge of its file group runs; its footer is
  * read once (task side).
  *
  * @param rowGroups those that have rows; of a part of the file, its own
  */
final class OldBaseFile private (
    val slice: FileSlice,
    val opened: OpenedFile,
    val footer: OldBaseFileFooter,
    val rowGroups: IndexedSeq[OldRowGroup],
    conf: Configuration
) extends AutoCloseable {
  def rows: Long = rowGroups.map(_.rows).sum

  /** Returns the part of this file with some of its row groups. It stays open as long as this one,
    * which closes it. */
  def part(from: Int, until: Int): OldBaseFile =
    new OldBaseFile(slice, opened, footer, rowGroups.slice(from, until), conf)

  /** Column chunks that another file copies while this one is open. */
  def chunks: OldColumnChunks =
    new OldColumnChunks(opened.reader.getFooter, opened.stream, read => named(read))

  /** Runs a read and names the file in its errors. Throws like [[OldBaseFile.open]]. */
  def named[T](read: => T): T = OpenedFile.named(slice, conf)(read)

  override def close(): Unit = opened.close()
}

object OldBaseFile {

  /** Whether no row group has keys before those of the row group before it, as far as the footer
    * shows. `hudilite.sorted` alone does not prove it: a tool that concatenates row groups of
    * several files may copy their footer pairs, too. */
  private def follow(rowGroups: IndexedSeq[OldRowGroup]): Boolean =
    rowGroups.zip(rowGroups.drop(1)).forall { case (one, next) =>
      one.keys.forall(a => next.keys.forall(b => a.max.compareTo(b.min) <= 0))
    }

  /** @throws hudilite.error.HudiliteException HUDILITE_MISSING_DATA_FILE if the file is gone,
    *         HUDILITE_PATH_INVALID if this process may not open it, HUDILITE_CORRUPT_DATA_FILE if
    *         it has no readable footer
    */
  def open(slice: FileSlice, conf: Configuration): OldBaseFile = {
    val opened = OpenedFile.open(slice, conf)
    Closing.onFailure(opened) {
      OpenedFile.named(slice, conf) {
        val footer = opened.reader.getFooter
        val blocks = footer.getBlocks.asScala.toIndexedSeq
        val before = blocks.scanLeft(0L)(_ + _.getRowCount)
        val rowGroups = blocks.indices
          .map(i => OldRowGroup(i, blocks(i), before(i), KeyFooter.ofBlock(blocks(i))))
          .filter(_.rows > 0)
        val stored = OldBaseFileFooter.of(slice, footer)
        val facts = stored.copy(sorted = stored.sorted && follow(rowGroups))
        new OldBaseFile(slice, opened, facts, rowGroups, conf)
      }
    }
  }
}
