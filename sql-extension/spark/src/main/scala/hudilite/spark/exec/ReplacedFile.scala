package hudilite.spark.exec

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.metadata.BlockMetaData

import hudilite.index.{KeyFooter, KeyRange}
import hudilite.io.Closing
import hudilite.view.{FileSlice, OpenedFile}

/** One row group of an old base file.
  *
  * @param ordinal  its number in the file
  * @param firstRow number of its first row in the file
  * @param keys     bounds of its record keys, where the footer tells them
  */
final case class OldGroup(
    ordinal: Int,
    block: BlockMetaData,
    firstRow: Long,
    keys: Option[KeyRange]
) {
  def rows: Long = block.getRowCount
  def endRow: Long = firstRow + rows
}

/** The base file that a merge replaces, open for as long as the merge lasts; its footer is read once (task
  * side).
  *
  * @param groups its row groups, but for those without rows
  */
final class ReplacedFile private (
    val slice: FileSlice,
    val opened: OpenedFile,
    val footer: OldFooter,
    val groups: IndexedSeq[OldGroup],
    conf: Configuration
) extends AutoCloseable {
  def rows: Long = groups.lastOption.fold(0L)(_.endRow)

  /** Names the file in what goes wrong while it is read; throws as [[ReplacedFile.open]]. */
  def named[T](read: => T): T = OpenedFile.named(slice, conf)(read)

  override def close(): Unit = opened.close()
}

object ReplacedFile {

  /** Whether the keys of each row group come after those of the one before, as far as the footer tells: a
    * tool that puts the row groups of several files into one may take their pairs over, too. */
  private def follow(groups: IndexedSeq[OldGroup]): Boolean =
    groups.zip(groups.drop(1)).forall { case (one, next) =>
      one.keys.forall(a => next.keys.forall(b => a.max.compareTo(b.min) <= 0))
    }

  /** @throws hudilite.error.HudiliteException HUDILITE_MISSING_DATA_FILE if the file is gone,
    *                                          HUDILITE_PATH_INVALID if this process may not open it,
    *                                          HUDILITE_CORRUPT_DATA_FILE if it has no readable footer
    */
  def open(slice: FileSlice, conf: Configuration): ReplacedFile = {
    val opened = OpenedFile.open(slice, conf)
    Closing.onFailure(opened) {
      OpenedFile.named(slice, conf) {
        val footer = opened.reader.getFooter
        val blocks = footer.getBlocks.asScala.toIndexedSeq
        val before = blocks.scanLeft(0L)(_ + _.getRowCount)
        val groups = blocks.indices
          .map(i => OldGroup(i, blocks(i), before(i), KeyFooter.ofBlock(blocks(i))))
          .filter(_.rows > 0)
        val told = OldFooter.of(slice, footer)
        val facts = told.copy(sorted = told.sorted && follow(groups))
        new ReplacedFile(slice, opened, facts, groups, conf)
      }
    }
  }
}
