package hudilite.format

/** Instants whose writers have written to a log file.
  * @param written    instants of its data, also of parts of blocks that say theirs
  * @param rolledBack instants whose blocks the rollbacks in it remove
  * Source: merge-on-read §1, §1.4. */
final case class LogInstants(written: Set[String], rolledBack: Set[String]) {

  /** Returns the other instants whose blocks, or whose rollback, would be lost with the file. */
  def besides(instant: String): Set[String] = written ++ rolledBack - instant
}

object LogInstants {

  /** Returns the instants of a log file's blocks. */
  def of(file: LogFileBlocks): LogInstants = {
    val (commands, data) = file.blocks.partition(_.kind == LogBlock.command)
    LogInstants(
      (data.flatMap(_.instant) ++ file.torn.flatMap(_.instant)).toSet,
      commands.flatMap(_.targetInstant).toSet
    )
  }
}
