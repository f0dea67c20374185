package hudilite.format

import java.nio.ByteBuffer

import scala.annotation.tailrec
import scala.util.Try

import hudilite.error.HudiliteException

/** Blocks of a log file of a merge-on-read table. A writer that died may have left a part of a block,
  * and another writer may have appended whole blocks to it.
  * @param blocks whole blocks in the order of the file
  * @param torn   parts of blocks. Whether one may be that of a dead writer only the timeline can
  *               tell: rows are lost if the file's commit is completed
  * Source: merge-on-read §1. */
final case class LogFileBlocks(blocks: Vector[LogBlock], torn: Vector[LogFileBlocks.Torn])

object LogFileBlocks {

  /** Bytes of a log file that are no whole block, up to the next block.
    * @param offset  position of the first byte
    * @param reason  why no block is read there
    * @param instant instant whose commit wrote them, if as much of a block's header is there */
  final case class Torn(offset: Int, reason: String, instant: Option[String])

  /** Reads a log file.
    * @param bytes the whole file; the blocks keep it in memory
    * @param path  the file, for errors
    * Errors: HUDILITE_CORRUPT_DATA_FILE for a block of an unknown version, or whose length is right
    * at both ends, but not that of its parts. */
  def read(bytes: Array[Byte], path: String): LogFileBlocks =
    read(ByteBuffer.wrap(bytes), path, 0, LogFileBlocks(Vector.empty, Vector.empty))

  @tailrec private def read(
      file: ByteBuffer,
      path: String,
      at: Int,
      found: LogFileBlocks
  ): LogFileBlocks =
    if (at >= file.limit) found
    else
      LogBlock.end(file, at) match {
        case Right(end) =>
          val block = LogBlock.block(file, at, end, path, corrupt)
          read(file, path, end, found.copy(blocks = found.blocks :+ block))
        case Left(reason) =>
          val next = nextBlock(file, at + 1)
          val torn = Torn(at, reason, instant(file.slice(at, next - at), path))
          read(file, path, next, found.copy(torn = found.torn :+ torn))
      }

  /** Returns the next position with the first bytes of a block, else the end of the file. */
  @tailrec private def nextBlock(file: ByteBuffer, from: Int): Int =
    if (from > file.limit - LogBlock.magic.length) file.limit
    else if (LogBlock.magic.indices.forall(i => file.get(from + i) == LogBlock.magic(i))) from
    else nextBlock(file, from + 1)

  private def instant(torn: ByteBuffer, path: String): Option[String] =
    Try(LogBlock.header(torn, path, corrupt)).toOption.flatMap(_.get(LogBlock.instantKey))

  /** Returns the error for a log file that cannot be read. */
  private[hudilite] def corrupt(path: String, reason: String): HudiliteException =
    HudiliteException("HUDILITE_CORRUPT_DATA_FILE", "path" -> path, "reason" -> reason)

  /** Returns the error for a log file with something that hudilite does not read.
    * @param path path of the file
    * @param fact what the file has, and `value` which one */
  private[hudilite] def unsupported(
      path: String,
      fact: String,
      value: String
  ): HudiliteException = HudiliteException(
    "HUDILITE_UNSUPPORTED_TABLE",
    "path" -> path.take(path.lastIndexOf('/')),
    "fact" -> s"log file ${path.drop(path.lastIndexOf('/') + 1)} with $fact",
    "value" -> value,
    "fix" -> ("Compact the log files with stock Hudi: " +
      "CALL run_compaction(op => 'run', table => '...').")
  )
}
