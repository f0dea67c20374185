package hudilite.view

import scala.collection.immutable.VectorMap

import hudilite.format.{LogBlock, LogFileBlocks, MergeOrder}

/** Which blocks of a file slice's log files count, and in which order they apply.
  * Source: merge-on-read §4.7, §5.5; compared with the log reader of stock Hudi 1.2. */
object AdmittedBlocks {

  /** Block of a log file.
    * @param file path of the log file, for errors */
  final case class InFile(file: String, block: LogBlock)

  /** Blocks by their instants, in the order in which the instants appear. */
  private type ByInstant = VectorMap[String, Vector[InFile]]

  /** Name of the column in a schema as JSON. */
  private val operation = s"\"${MergeOrder.operation}\""

  private val dataKinds = Set(LogBlock.avroData, LogBlock.parquetData, LogBlock.delete)

  /** Returns the blocks that apply, the oldest first.
    *
    * Blocks of one instant stand together at the place of the first of them, also if the instant is
    * older than the one before it. A rollback removes the blocks of its instant that come before it;
    * whether it is completed itself does not matter, because stock Hudi undoes a commit before it
    * completes the rollback. The block of a log compaction stands where the newest of the blocks was
    * that it replaces.
    * @param blocks      whole blocks, in the order of the files and in that of each file
    * @param isCommitted whether a reader sees the commit of an instant. In tables of version 8 and
    *                    later the files are chosen by their names before, and this holds for the
    *                    blocks in them as well
    * Errors: HUDILITE_CORRUPT_DATA_FILE for a block without the instant that it needs;
    * HUDILITE_UNSUPPORTED_TABLE for a kind of block or a command that only other tables have, and for
    * rows with operations, some of which are deletions. */
  def of(blocks: Seq[InFile], isCommitted: String => Boolean): Vector[InFile] =
    compacted(blocks.foldLeft(VectorMap.empty: ByInstant)(add(_, _, isCommitted)))

  private def add(found: ByInstant, next: InFile, isCommitted: String => Boolean): ByInstant =
    next.block.kind match {
      case LogBlock.cdc => found
      case LogBlock.command => found.removed(rolledBack(next))
      case kind =>
        val instant = next.block.instant.getOrElse(throw corrupt(next, "a block has no instant"))
        if (!isCommitted(instant)) found
        else if (next.block.schema.exists(_.contains(operation)))
          throw LogFileBlocks.unsupported(next.file, "a column", MergeOrder.operation)
        else if (dataKinds(kind))
          found.updated(instant, found.getOrElse(instant, Vector.empty) :+ next)
        else throw LogFileBlocks.unsupported(next.file, "a block of kind", kindName(kind))
    }

  private def rolledBack(command: InFile): String = {
    val stated = command.block.commandType.getOrElse("")
    if (stated != LogBlock.rollback)
      throw LogFileBlocks.unsupported(command.file, "a command block of type", stated)
    command.block.targetInstant.getOrElse(
      throw corrupt(command, "a rollback block has no target instant")
    )
  }

  /** Puts the blocks of log compactions in their places. A compacted block may have been compacted
    * again, so the walk begins with the newest instant.
    * @return blocks without those that were compacted */
  private def compacted(found: ByInstant): Vector[InFile] =
    found.toVector.reverse.foldLeft(Walk(Map.empty, Vector.empty)) {
      case (walk, (instant, blocks)) => walk.next(instant, blocks.head.block.compactedInstants)
    }.places.reverse.flatMap(found)

  /** State of the walk from the newest instant to the oldest.
    * @param mergedInto last compaction that contains the blocks of an instant, by that instant
    * @param places     instants whose blocks apply, the newest first */
  private final case class Walk(mergedInto: Map[String, String], places: Vector[String]) {
    def next(instant: String, originals: Seq[String]): Walk = {
      val last = mergedInto.getOrElse(instant, instant)
      if (originals.nonEmpty) copy(mergedInto = mergedInto ++ originals.map(_ -> last))
      else if (places.contains(last)) this
      else copy(places = places :+ last)
    }
  }

  private def corrupt(at: InFile, reason: String) = LogFileBlocks.corrupt(at.file, reason)

  private def kindName(kind: Int): String = if (kind == LogBlock.hfile) "hfile" else kind.toString
}
