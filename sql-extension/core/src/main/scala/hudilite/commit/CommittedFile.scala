package hudilite.commit

/** Base or log file as its commit names it.
  * @param instant instant of the commit
  * @param name    name of the file
  * @param length  length in bytes, 0 if the commit does not contain it */
private[hudilite] final case class CommittedFile(instant: String, name: String, length: Long) {

  /** Whether this file wins over another one of its file group: the later instant, or for two task
    * attempts of one commit the greater name. */
  def isAfter(other: CommittedFile): Boolean =
    instant > other.instant || instant == other.instant && name > other.name
}

private[hudilite] object CommittedFile {

  /** Latest file of each file group: partition to file id to file. */
  type Latest = Map[String, Map[String, CommittedFile]]

  /** Log files of each file group: partition to file id to files. */
  type Logs = Map[String, Map[String, Vector[CommittedFile]]]
}
