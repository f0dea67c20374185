package hudilite.verify

import hudilite.format.{BaseFileName, TableConfig}
import hudilite.timeline.{Timeline, TimelineFiles}
import hudilite.view.{FileSlice, LogFile, TableSnapshot}

/** Check of a table's timeline and listings, without reading a file of its slices. Runs on the driver.
  * @param findings problems found
  * @param table    input for a check of the base files; None if the table cannot be loaded */
final class TableCheck(val findings: Seq[Finding], val table: Option[TableCheck.Loaded])

object TableCheck {

  /** Loaded table, for a check of its base files.
    * @param slices file slices of the latest snapshot
    * @param known  instants whose commit can be read */
  final class Loaded(
      val config: TableConfig,
      val snapshot: TableSnapshot,
      val slices: Seq[CheckedSlice],
      val known: Set[String]
  )

  /** What a commit says of a log file.
    * @param rows    number of rows in its data blocks
    * @param deletes number of its deletions */
  final case class LogStat(rows: Long, deletes: Long)

  /** File slice to check.
    * @param rows number of rows that the commit of its base recorded, None if not known
    * @param logs what each commit that names a log file says of it, by the name of the file and the
    *             instant of the commit */
  final class CheckedSlice(
      val slice: FileSlice,
      val rows: Option[Long],
      val logs: Map[String, Map[String, LogStat]] = Map.empty
  ) extends Serializable {

    /** Path of the base file relative to the table; that of the first log file if there is no base. */
    def place: String = slice.places.head

    /** Path of one of the log files relative to the table. */
    def place(log: LogFile): String = BaseFileName.place(slice.partition, log.path.getName)

    /** The slice without its log files, None if it has no base. */
    def base: Option[CheckedSlice] = slice.withoutLogs.map(new CheckedSlice(_, rows))
  }

  /** Runs the check. Damage becomes findings and never an error.
    * @param files whether to compare lengths and search for missing and stray files */
  def run(table: TimelineFiles, files: Boolean): TableCheck = {
    val timeline = TimelineCheck.run(table)
    val loaded = for {
      config <- facts(table)
      snapshot <- Finding.attempt(unloaded(table))(TableSnapshot.load(table, config))
      result <- Finding.attempt(unloaded(table)) {
        new Run(table, config, snapshot, timeline).result(files)
      }
    } yield result
    loaded match {
      case Right(result) => new TableCheck(timeline.findings ++ result.findings, result.table)
      case Left(fault) => new TableCheck(timeline.findings ++ Seq(fault, notChecked), None)
    }
  }

  /** Finding for checks that are skipped because of another finding. */
  val notChecked: Finding = Finding.warning(
    "NOT_CHECKED",
    "",
    "the base files were not checked, because it is unknown which of them belong to the table"
  )

  private def facts(table: TimelineFiles): Either[Finding, TableConfig] = {
    val place = table.layout.properties
    if (!table.hasProperties)
      Left(Finding.error("PROPERTIES_MISSING", place, "the table has no properties file"))
    else Finding.attempt(Finding.error("PROPERTIES_DAMAGED", place, _))(table.config())
  }

  private def unloaded(table: TimelineFiles)(reason: String): Finding = Finding.error(
    "TIMELINE_DAMAGED",
    table.layout.metadata,
    s"no snapshot can be read: $reason"
  )

  /** Check of a table that can be loaded. */
  private final class Run(
      table: TimelineFiles,
      config: TableConfig,
      snapshot: TableSnapshot,
      timeline: TimelineCheck
  ) {
    private val check = new SliceCheck(
      snapshot.view,
      snapshot.instants.flatMap(time =>
        timeline.metadata.get(time).orElse(unpublished(time)).map(time -> _)
      )
    )
    private val recorded = check.recorded(table)

    def result(files: Boolean): TableCheck = {
      val folders = Folder.all(table.storage, table.basePath, config)
      val found = folders.filter(Folder.mayHoldRows(_, config)).map(f => f -> latest(f))
      val seen = found.flatMap(f => f._2.toOption.map(f._1 -> _))
      val slices = seen.filter { case (f, _) => f.hasMetafile || f.path.isEmpty }.flatMap(_._2)
      val checked = slices.map(check.checked)
      val meta = found.flatMap(_._2.left.toOption) ++
        seen.flatMap { case (f, own) => unseen(f, own) ++ check.names(f.path, own) }
      val listed =
        if (files)
          checked.flatMap(check.lengths) ++
            strays(folders, slices.flatMap(_.withoutLogs).map(_.place).toSet) ++
            check.missing(paths(folders), slices) ++
            new ListingCheck(table, snapshot.view)
              .run(config, folders, slices.flatMap(_.places).toSet)
        else Seq.empty
      new TableCheck(meta ++ listed, Some(new Loaded(config, snapshot, checked, check.known)))
    }

    private def unpublished(time: String) =
      Finding.attempt(unloaded(table))(snapshot.metadata(time)).toOption.flatten

    private def latest(folder: Folder): Either[Finding, Seq[FileSlice]] =
      Finding.attempt(Finding.error("FOLDER_UNREADABLE", folder.path, _)) {
        val found = snapshot.view.latest(folder.entries, folder.path, recorded)
        snapshot.withSources(folder.path, found)
      }

    /** Returns a finding for a folder without a metafile. Stock Hudi silently returns no row of
      * such a folder. */
    private def unseen(folder: Folder, slices: Seq[FileSlice]): Option[Finding] =
      if (folder.hasMetafile) None
      else if (slices.nonEmpty)
        Some(
          Finding.error(
            "METAFILE_MISSING",
            folder.path,
            s"the folder contains ${slices.size} committed files, but readers ignore it"
          )
        )
      else
        Option.when(folder.path.nonEmpty && folder.folders.isEmpty)(
          Finding.warning("METAFILE_MISSING", folder.path,
            "the folder is not a partition without it")
        )

    private def strays(folders: Seq[Folder], taken: Set[String]): Seq[Finding] =
      Finding.attempt(unloaded(table))(Timeline.load(table)) match {
        case Left(fault) => Seq(fault)
        case Right(now) =>
          new StrayCheck(config, snapshot.view, now, recorded(_))
            .run(table, folders)
            .filterNot(stray => taken(stray.path)) ++ strayLogs(folders, now)
      }

    private def strayLogs(folders: Seq[Folder], now: Timeline): Seq[Finding] =
      if (!config.mayHaveLogs) Nil
      else {
        val logs = folders.filter(Folder.mayHoldRows(_, config)).flatMap(_.logs)
        Finding.attempt(unloaded(table))(new StrayLogs(table, config, snapshot, now).of(logs))
          .fold(Seq(_), StrayCheck.ofLogs)
      }

    private def paths(folders: Seq[Folder]): Set[String] =
      folders.flatMap(f => f.entries.filter(!_.isDirectory).map(e => f.place(e.name))).toSet
  }
}
