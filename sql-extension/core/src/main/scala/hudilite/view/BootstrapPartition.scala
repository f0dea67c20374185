package hudilite.view

/** Bootstrapped file groups of one partition.
  * @param partition       relative partition path, "" when the table has none
  * @param sourcePartition path of the partition relative to the bootstrap source
  * @param files           bootstrap source file of each file id */
final case class BootstrapPartition(
    partition: String,
    sourcePartition: String,
    files: Map[String, SourceFile]
)
