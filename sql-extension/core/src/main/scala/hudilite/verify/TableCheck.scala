package hudilite.verify

import hudilite.format.TableConfig
import hudilite.timeline.{Timeline, TimelineFiles}
import hudilite.view.{FileSlice, TableSnapshot}

/** Check of a table's timeline and listings, without reading a base file. Runs on the driver.
  * @param findings problems found
  * @param table    input for a check of the base files; None if the table cannot be loaded */
final class TableCheck(val findings: Seq[Finding], val table: Option[TableCheck.Loaded])

object TableCheck {

  /** Loaded table, for a check of its base files.
    * @param slices file slices of the latest snapshot */
  final class Loaded(
      val config: TableConfig,
      val snapshot: TableSnapshot,
      val slices: Seq[CheckedSlice]
  )

  /** File slice to check.
    * @param rows number of rows that its commit recorded, None if not known */
  final class CheckedSlice(val slice: FileSlice, val rows: Option[Long]) extends Serializable {

    /** Path of the base file relative to the table. */
    def place: String = slice.place
  }

  /** Runs the check. Damage becomes findings and never an error.
    * @param files whether to compare lengths and search for missing and stray files */
  def run(table: TimelineFiles, files: Boolean): TableCheck = {
    val timeline = TimelineCheck.run(table)
    val loaded = for {
      config <- facts(table)
      () = config.checkCopyOnWrite(table.basePath.toString, noLogs)
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

  private val noLogs =
    "Log files are not checked. Compact the table with stock Hudi, CALL run_compaction(op => " +
      "'scheduleAndExecute', table => '...'), and copy its rows into a new table to check them."

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
      config,
      snapshot.view,
      snapshot.instants.flatMap(time =>
        timeline.metadata.get(time).orElse(unpublished(time)).map(time -> _)
      )
    )

    def result(files: Boolean): TableCheck = {
      val folders = Folder.all(table.storage, table.basePath, config)
      val found = folders.filter(Folder.mayHoldRows(_, config)).map(f => f -> latest(f))
      val seen = found.flatMap(f => f._2.toOption.map(f._1 -> _))
      val slices = seen.filter { case (f, _) => f.hasMetafile || f.path.isEmpty }.flatMap(_._2)
      val checked = slices.map(s => new CheckedSlice(s, check.rows(s)))
      val meta = found.flatMap(_._2.left.toOption) ++
        seen.flatMap { case (f, own) => unseen(f, own) ++ check.names(f.path, own) }
      val listed =
        if (files)
          slices.flatMap(check.length) ++ strays(folders, slices.map(_.place).toSet) ++
            check.missing(paths(folders), slices) ++
            new ListingCheck(table, snapshot.view)
              .run(config, folders, slices.map(_.place).toSet)
        else Seq.empty
      new TableCheck(meta ++ listed, Some(new Loaded(config, snapshot, checked)))
    }

    private def unpublished(time: String) =
      Finding.attempt(unloaded(table))(snapshot.metadata(time)).toOption.flatten

    private def latest(folder: Folder): Either[Finding, Seq[FileSlice]] =
      Finding.attempt(Finding.error("FOLDER_UNREADABLE", folder.path, _)) {
        val found = snapshot.view.latest(folder.entries, folder.path, check.recorded)
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
          new StrayCheck(config, snapshot.view, now, check.recorded)
            .run(table, folders)
            .filterNot(stray => taken(stray.path))
      }

    private def paths(folders: Seq[Folder]): Set[String] =
      folders.flatMap(f => f.entries.filter(!_.isDirectory).map(e => f.place(e.name))).toSet
  }
}
