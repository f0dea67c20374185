package hudilite.timeline

import scala.util.Try

import org.apache.avro.generic.GenericRecord
import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException
import hudilite.format.{PropertiesFile, TableConfig, TableVersion}
import hudilite.io.{FileEntry, Storage, StorageFault}

/** Files of one table's timeline and of its other metadata, at the places that a layout defines.
  * Each method makes one call of the storage unless it says otherwise.
  * @param basePath location of the table */
final class TimelineFiles(
    val storage: Storage,
    val basePath: Path,
    val layout: TimelineLayout
) {

  /** Form of the content of the instants' files. */
  def codec: TimelineCodec = layout.codec

  /** Path of the folder that contains the instants' files. */
  def folder: Path = at(layout.timeline)

  /** Lists the metadata folder. Entries that cannot be completed writes may lack all fields but
    * their names. */
  def metadata(): MetadataFolder =
    new MetadataFolder(layout, storage.list(at(layout.metadata), layout.mayBeCompletedWrite))

  /** Lists the instants that have a file, with the files. */
  def list(): Seq[(Instant, FileEntry)] = instantsOf(storage.list(folder))

  /** Lists the instants that have a file, with the files. Those that cannot be completed writes may
    * lack all fields but their names.
    * @param listed listing of the metadata folder, in which the timeline may lie */
  def list(listed: MetadataFolder): Seq[(Instant, FileEntry)] =
    if (layout.timeline == layout.metadata) instantsOf(listed.entries)
    else instantsOf(storage.list(folder, layout.mayBeCompletedWrite))

  private def instantsOf(entries: Seq[FileEntry]): Seq[(Instant, FileEntry)] = for {
    entry <- entries if !entry.isDirectory
    instant <- layout.parse(entry.name)
  } yield instant -> entry

  /** Lists the instants that have a file by their names alone, which costs less than [[list]]. */
  def instants(): Seq[Instant] = storage.names(folder).flatMap(layout.parse)

  /** Returns the path of an instant's file. */
  def path(instant: Instant): Path = Storage.resolve(folder, layout.fileName(instant))

  /** Returns the path of an instant's file relative to the table, for messages. */
  def place(instant: Instant): String = s"${layout.timeline}/${layout.fileName(instant)}"

  /** Reads an instant's file.
    * Errors: those of [[Storage.read]]. */
  def read(instant: Instant): Array[Byte] = storage.read(path(instant))

  /** Reads an instant's file, or returns None if it is absent.
    * Errors: those of [[Storage.read]]. */
  def readIfPresent(instant: Instant): Option[Array[Byte]] =
    try Some(read(instant))
    catch { case e: HudiliteException if e.condition == "HUDILITE_MISSING_FILE" => None }

  /** Reads the metadata of a completed write.
    * @param length length of its file as listed, if it was
    * Errors: those of [[Storage.read]]; HUDILITE_CORRUPT_TIMELINE. */
  def commit(instant: Instant, length: Option[Long] = None): CommitMetadata = {
    val file = path(instant)
    codec.decodeCommit(length.fold(storage.read(file))(storage.readListed(file, _)), file)
  }

  /** Returns the completed state of the write of an instant; None if it is not completed. Makes one
    * or two calls of the storage. */
  def completedWrite(time: String): Option[Instant] = {
    val named = Instant.writes.toSeq.map(layout.completed(time, _, None))
    if (named.forall(_.nonEmpty)) named.flatten.find(exists)
    else Timeline.named(this).completed.find(_.time == time)
  }

  /** Deletes the completed files of actions, one after the other in this order; of an action that is
    * completed twice, both.
    * @param done time and action of each
    * @return number of files that were there */
  def deleteCompleted(done: Seq[(String, String)]): Int = {
    lazy val listed = instants().filter(_.state == Instant.Completed)
    done.flatMap { case (time, action) =>
      val named = layout.completed(time, action, None)
      named.fold(listed.filter(i => i.time == time && i.action == action))(Seq(_))
    }.count(delete)
  }

  /** Reads the records of a plan or an outcome.
    * Errors: those of [[Storage.read]]; HUDILITE_CORRUPT_TIMELINE. */
  def records(instant: Instant): Vector[GenericRecord] = {
    val file = path(instant)
    codec.decode(storage.read(file), file)
  }

  /** Creates an instant's file, unless it exists.
    * @param bytes content in the form of the [[codec]]
    * @return false if it exists
    * Errors: those of [[Storage.createNew]]. */
  def create(instant: Instant, bytes: Array[Byte] = Array.emptyByteArray): Boolean =
    storage.createNew(path(instant), bytes)

  /** Returns an instant's file in its folder, or None. */
  def status(instant: Instant): Option[FileEntry] = storage.status(path(instant))

  /** Whether an instant's file exists. */
  def exists(instant: Instant): Boolean = storage.exists(path(instant))

  /** Deletes an instant's file.
    * @return false if it is absent */
  def delete(instant: Instant): Boolean = storage.delete(path(instant))

  /** Returns a path of the layout as a path of the file system.
    * @param relative path relative to the table */
  def at(relative: String): Path = Storage.resolve(basePath, relative)

  /** Path of the file with the table's properties. */
  def properties: Path = at(layout.properties)

  /** Path of the copy that stock Hudi makes of that file while it replaces it. */
  def propertiesBackup: Path = at(s"${layout.properties}.backup")

  /** Returns the files of the timeline as a table version lays them out. */
  private[hudilite] def inVersion(version: TableVersion): TimelineFiles =
    TimelineFiles.ofVersion(this, version, TimelineLayout.known)

  /** Whether the file with the table's properties exists. */
  def hasProperties: Boolean = storage.exists(properties)

  /** Whether the table's folder contains a metadata folder, as that of every Hudi table does. */
  def isTable: Boolean = storage.status(at(layout.metadata)).exists(_.isDirectory)

  /** Reads and checks the table's properties.
    * Errors: those of [[Storage.read]] and of [[TableConfig.parse]]. */
  def config(): TableConfig = parsed(storage.read(properties))

  /** Replaces the table's properties, then deletes a copy that stock Hudi has left: it would put the
    * copy back. */
  private[hudilite] def replaceConfig(config: TableConfig): Unit = {
    storage.replace(properties, TableConfig.render(config))
    storage.delete(propertiesBackup): Unit
  }

  /** Reads and checks the table's properties, with their tag, if the store has tags. */
  private[timeline] def taggedConfig(): (TableConfig, Option[String]) = {
    val (bytes, tag) = storage.readTagged(properties)
    (parsed(bytes), tag)
  }

  private def parsed(bytes: Array[Byte]): TableConfig =
    TableConfig.parse(bytes, PropertiesFile(basePath.toString, properties.toString))

  /** Deletes the metadata folder and everything in it.
    * @return false if it is absent */
  def deleteMetadata(): Boolean = storage.deleteTree(at(layout.metadata))
}

/** Opens tables. This is the only place where the layout of a table is chosen: the folder that
  * exists at its location and the table version in its properties determine it. */
object TimelineFiles {

  /** Table that was opened.
    * @param files  files of its timeline
    * @param config its properties
    * @param folder listing of its metadata folder, if it showed that the properties are known */
  final case class Opened(
      files: TimelineFiles,
      config: TableConfig,
      folder: Option[MetadataFolder]
  )

  /** Opens the table at a location: reads and checks its properties, with one call of the storage.
    * If this process has read them before and the store has tags, the call lists the metadata
    * folder, which shows whether they have changed.
    * Errors: those of [[TimelineFiles.config]]. */
  def open(storage: Storage, basePath: Path): Opened = {
    val found = inFolder(storage, basePath, TimelineLayout.known)
    val unchanged = for {
      known <- KnownProperties.of(found.properties)
      folder = found.metadata()
      if folder.tagOfProperties.contains(known.tag)
    } yield (known.config, folder)
    val config = unchanged.fold(KnownProperties.read(found))(_._1)
    Opened(ofVersion(found, config.version, TimelineLayout.known), config, unchanged.map(_._2))
  }

  /** Returns the files of the timeline of a table whose properties may be missing, damaged or not
    * supported. If they state no known version, the layout is that of new tables. Reads the
    * properties.
    * @param known layouts to choose from, that of new tables first */
  def of(
      storage: Storage,
      basePath: Path,
      known: Seq[TimelineLayout] = TimelineLayout.known
  ): TimelineFiles = {
    val found = inFolder(storage, basePath, known)
    Try(storage.read(found.properties)).toOption // `config` says what is wrong with them
      .flatMap(TableVersion.statedIn)
      .fold(found)(ofVersion(found, _, known))
  }

  /** Returns the files of a table that is about to be created. Makes no call of the storage. */
  def ofNewTable(storage: Storage, basePath: Path, version: TableVersion): TimelineFiles =
    ofVersion(
      new TimelineFiles(storage, basePath, TimelineLayout.ofNewTables),
      version,
      TimelineLayout.known
    )

  /** Whether a location contains the properties of a table. */
  def hasProperties(storage: Storage, basePath: Path): Boolean =
    StorageFault.explained(folders(storage, basePath, TimelineLayout.known).exists(_.hasProperties))

  /** Whether a location contains a metadata folder, as that of every Hudi table does. */
  def isTable(storage: Storage, basePath: Path): Boolean =
    folders(storage, basePath, TimelineLayout.known).exists(_.isTable)

  /** Returns the files in the metadata folder that exists at a location. If all layouts have the
    * same folder, this makes no call of the storage. */
  private def inFolder(storage: Storage, basePath: Path, known: Seq[TimelineLayout]) =
    folders(storage, basePath, known) match {
      case Seq(only) => only
      case several => several.find(_.isTable).getOrElse(several.head)
    }

  private def folders(storage: Storage, basePath: Path, known: Seq[TimelineLayout]) =
    known.distinctBy(_.metadata).map(new TimelineFiles(storage, basePath, _))

  private def ofVersion(
      found: TimelineFiles,
      version: TableVersion,
      known: Seq[TimelineLayout]
  ): TimelineFiles = {
    val layout = known
      .filter(_.metadata == found.layout.metadata)
      .find(_.version == version.timelineLayout)
    layout.fold(found)(new TimelineFiles(found.storage, found.basePath, _))
  }
}
