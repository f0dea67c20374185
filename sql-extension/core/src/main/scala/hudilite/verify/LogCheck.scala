package hudilite.verify

import hudilite.format.{LogBlock, LogFileBlocks}
import hudilite.view.{AdmittedBlocks, LogFile, SnapshotView}

/** Check of the log files of one file slice: the frames of their blocks, and the instants of these against
  * the commits. Runs in a task.
  * @param view         decides which blocks are committed
  * @param known        instants whose commits can be read
  * @param isOfVersion6 whether the instants of writers are in the blocks alone
  * Source: merge-on-read §1, §2, §4.7. */
final class LogCheck(
    file: TableCheck.CheckedSlice,
    view: SnapshotView,
    known: Set[String],
    isOfVersion6: Boolean
) {
  import LogCheck._

  /** @param bytes reads a log file
    * @return findings, and the blocks of commits with rows or deletions */
  def run(bytes: LogFile => Array[Byte]): Result = {
    val read = file.slice.logs.map { log =>
      log -> Finding.attempt(damaged(log, _))(LogFileBlocks.read(bytes(log), log.path.toString))
    }
    val whole = read.collect { case (log, Right(found)) => log -> found }
    val rolledBack = whole.flatMap(_._2.blocks).filter(_.kind == LogBlock.command)
      .flatMap(_.targetInstant).toSet
    val ofFiles = read.flatMap(_._2.left.toOption) ++ whole.flatMap { case (log, found) =>
      frames(log, found) ++ instants(log, found.blocks.filter(isData), rolledBack)
    }
    val blocks = whole.flatMap { case (log, found) =>
      found.blocks.map(AdmittedBlocks.InFile(log.path.toString, _))
    }
    val ofBlocks = Finding.attempt(damaged(file.slice.logs.last, _))(
      AdmittedBlocks.of(blocks, view.isCommitted)
    )
    val committed = whole.map { case (log, found) =>
      log -> found.blocks.filter(block => isData(block) && isCommitted(block))
    }
    Result(ofFiles ++ ofBlocks.left.toOption, committed)
  }

  private def damaged(log: LogFile, reason: String) =
    Finding.error(LogCheck.damaged, file.place(log), reason)

  /** Returns a finding for parts of blocks, unless the whole file is stray. */
  private def frames(log: LogFile, found: LogFileBlocks): Option[Finding] = {
    val writers = found.blocks.flatMap(_.instant) ++ found.torn.flatMap(_.instant)
    log.lost(found, view.isCommitted) match {
      case Some(torn) => Some(damaged(log, s"${torn.reason}, at byte ${torn.offset}"))
      case None if writers.nonEmpty && !writers.exists(view.isCommitted) => None
      case None =>
        found.torn.headOption.map { torn =>
          Finding.warning(
            "LOG_PART_LEFT",
            file.place(log),
            s"a writer that failed has left part of a block, at byte ${torn.offset}"
          )
        }
    }
  }

  private def instants(
      log: LogFile,
      blocks: Seq[LogBlock],
      rolledBack: Set[String]
  ): Seq[Finding] = {
    val (committed, others) = blocks.flatMap(_.instant).distinct.partition(view.isCommitted)
    val named = file.logs.getOrElse(log.path.getName, Map.empty)
    val unnamed = committed.filter(time => known(time) && !named.contains(time)).map { time =>
      Finding.warning(
        "FILE_NOT_IN_COMMIT",
        file.place(log),
        s"readers use its blocks of $time, but that commit does not list the file"
      )
    }
    val dead = others.filterNot(time => rolledBack(time) || view.uncommitted(time))
    unnamed ++ (if (committed.isEmpty) Nil else dead.map(uncommitted(log, _)))
  }

  private def uncommitted(log: LogFile, time: String): Finding = {
    val detail = s"readers skip its blocks of $time, which is not a committed instant"
    if (isOfVersion6) Finding.warning(blockNotCommitted, file.place(log), detail)
    else Finding.error(blockNotCommitted, file.place(log), detail)
  }

  private def isCommitted(block: LogBlock) = block.instant.exists(view.isCommitted)
}

object LogCheck {

  /** Code of the finding for a log file whose blocks cannot be read. */
  val damaged = "LOG_DAMAGED"
  private val blockNotCommitted = "BLOCK_NOT_COMMITTED"
  private val data = Set(LogBlock.avroData, LogBlock.parquetData, LogBlock.delete)

  /** Result of the check.
    * @param blocks blocks of each log file that can be read: those of commits, in their order */
  final case class Result(findings: Seq[Finding], blocks: Seq[(LogFile, Seq[LogBlock])])

  private def isData(block: LogBlock) = data(block.kind)
}
