package hudilite.timeline

import hudilite.format.{ArchiveFolder, TableConfig, TableVersion}

/** Layout of tables of versions 8 and 9. The timeline has a folder of its own, and the name of a
  * completed instant ends with the time of its completion: `<requested>_<completed>.commit`. A
  * clustering is pending as `clustering` and completed as `replacecommit`. Everything else lies
  * where version 6 has it. Archived instants are in the folder `history` of the timeline, which no
  * snapshot needs.
  * Source: table-versions §1.1-1.2, §1.8. */
object Version8Layout extends TimelineLayout {
  override val version: String = TableVersion.Eight.timelineLayout
  override val metadata: String = Version6Layout.metadata
  override val properties: String = Version6Layout.properties
  override val timeline: String = s"$metadata/${TableVersion.timelineFolder}"
  override val markers: String = Version6Layout.markers
  override val bootstrapIndex: String = Version6Layout.bootstrapIndex
  override val bucketRules: String = Version6Layout.bucketRules
  override val commits: String = Version6Layout.commits
  override val streams: String = Version6Layout.streams
  override val statistics: String = Version6Layout.statistics
  override val footers: String = Version6Layout.footers
  override val codec: TimelineCodec = Version8Codec
  override val namesCompletion: Boolean = true

  override def pendingActions(action: String): Seq[String] =
    if (action == Instant.replaceCommit) Seq(action, Instant.clustering) else Seq(action)

  private val separator = '_'

  override def fileName(instant: Instant): String =
    instant.time + instant.completion.fold("")(separator.toString + _) +
      Version6Layout.suffix(instant)

  override def completed(
      time: String,
      action: String,
      completion: Option[String]
  ): Option[Instant] = completion.map(_ => Instant(time, action, Instant.Completed, completion))

  override def parse(fileName: String): Option[Instant] = {
    val dot = fileName.indexOf('.')
    if (dot < 0) None
    else meanings.get(fileName.substring(dot)).flatMap(timed(_, fileName.substring(0, dot)))
  }

  /** Returns an action in its state at the times that a file name begins with. */
  private def timed(meaning: Instant, times: String): Option[Instant] = {
    val (time, rest) = times.span(_ != separator)
    val completion = rest.drop(1)
    if (!Instant.isTime(time)) None
    else if (rest.isEmpty) Some(meaning.copy(time = time))
    else if (meaning.state != Instant.Completed || !Instant.isTime(completion)) None
    else Some(meaning.copy(time = time, completion = Some(completion)))
  }

  override private[hudilite] def archive(
      files: TimelineFiles,
      config: TableConfig
  ): TimelineArchive = {
    val folder = ArchiveFolder.ofHistory(config, files.basePath.toString)
    new History(files, files.at(Seq(timeline, folder).filter(_.nonEmpty).mkString("/")))
  }

  override def mayBeCompletedWrite(fileName: String): Boolean =
    Version6Layout.mayBeCompletedWrite(fileName)

  private lazy val meanings: Map[String, Instant] = Version6Layout.meanings ++
    Seq(Instant.Requested, Instant.Inflight)
      .map(Instant("", Instant.clustering, _))
      .map(pending => Version6Layout.suffix(pending) -> pending)
}
