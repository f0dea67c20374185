package hudilite.timeline

import hudilite.format.{ArchiveFolder, TableConfig, TableVersion}

/** Layout of tables of version 6: the files of the timeline lie in `.hoodie` itself.
  * Source: hudi-format §3.1. */
object Version6Layout extends TimelineLayout {
  override val version: String = TableVersion.Six.timelineLayout
  override val metadata: String = ".hoodie"
  override val properties: String = s"$metadata/hoodie.properties"
  override val timeline: String = metadata
  override val markers: String = s"$metadata/.temp"
  override val bootstrapIndex: String = s"$metadata/.aux/.bootstrap"
  override val bucketRules: String = s"$metadata/.bucket_index"
  override val commits: String = s"$metadata/.hudilite/commits"
  override val streams: String = s"$metadata/.hudilite/streams"
  override val statistics: String = s"$metadata/.hudilite/statistics.json"
  override val footers: String = s"$metadata/.hudilite/footers.bin"
  override val codec: TimelineCodec = Version6Codec

  override def fileName(instant: Instant): String = s"${instant.time}${suffix(instant)}"

  override def completed(
      time: String,
      action: String,
      completion: Option[String]
  ): Option[Instant] = Some(Instant(time, action, Instant.Completed))

  override def parse(fileName: String): Option[Instant] = {
    val dot = fileName.indexOf('.')
    if (dot < 0 || !Instant.isTime(fileName.substring(0, dot))) None
    else meanings.get(fileName.substring(dot)).map(_.copy(time = fileName.substring(0, dot)))
  }

  override def mayBeCompletedWrite(fileName: String): Boolean =
    Instant.writes.exists(action => fileName.endsWith(s".$action"))

  override private[hudilite] def archive(
      files: TimelineFiles,
      config: TableConfig
  ): TimelineArchive = {
    val folder = ArchiveFolder.ofLog(config, files.basePath.toString)
    val path = Seq(metadata, folder).filter(_.nonEmpty).mkString("/")
    new ArchiveLog(files, files.at(path), config.timelineZone)
  }

  /** Returns the end of a file's name, after the times. */
  private[timeline] def suffix(instant: Instant): String = instant.state match {
    case Instant.Requested => s".${instant.action}.requested"
    case Instant.Inflight if instant.action == Instant.commit => ".inflight"
    case Instant.Inflight => s".${instant.action}.inflight"
    case Instant.Completed => s".${instant.action}"
  }

  /** Suffixes of timeline file names, with the action and state that they stand for. */
  private[timeline] lazy val meanings: Map[String, Instant] = (for {
    action <- Instant.actions.toSeq
    state <- Seq(Instant.Requested, Instant.Inflight, Instant.Completed)
    instant = Instant("", action, state)
  } yield suffix(instant) -> instant).toMap
}
