package hudilite.view

/** The bootstrapped file groups of one partition.
  * @param partition       relative partition path, "" when the table has none
  * @param sourcePartition the same below the source's path
  * @param files           source of each file id */
final case class BootstrapPartition(
    partition: String,
    sourcePartition: String,
    files: Map[String, SourceFile]
)
