package hudilite.timeline

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.fs.Path

import hudilite.io.Storage

/** Marker files, one for each base or log file that an instant creates, in Hudi's DIRECT form:
  * `<folder of markers>/<instant>/<partition>/<data file>.marker.<kind>`. A rollback finds the
  * files by their markers. That of a log file has the kind APPEND in table version 6, else CREATE.
  * Source: hudi-format §3.12. */
object Markers {

  /** Kind of a marker: the file starts a file group, it replaces an earlier base file, or it is a log file of
    * table version 6. */
  sealed abstract class Kind(val text: String)
  case object Create extends Kind("CREATE")
  case object Merge extends Kind("MERGE")
  case object Append extends Kind("APPEND")

  private val name = "(.+)\\.marker\\.(CREATE|MERGE|APPEND)".r

  /** Name of a file of stock Hudi's timeline server, with one marker per line. */
  private val served = "MARKERS[0-9]+".r

  /** Returns the path of a marker.
    * @param partition relative partition path, "" if the table has none
    * @param dataFile  name of the base file */
  def path(
      files: TimelineFiles,
      instant: String,
      partition: String,
      dataFile: String,
      kind: Kind
  ): Path =
    Storage.resolve(
      folder(files, instant),
      Seq(partition, s"$dataFile.marker.${kind.text}").filter(_.nonEmpty).mkString("/")
    )

  /** Creates a marker. This must be done before the base file is created. */
  def create(
      files: TimelineFiles,
      instant: String,
      partition: String,
      dataFile: String,
      kind: Kind
  ): Unit =
    files.storage.touch(path(files, instant, partition, dataFile, kind))

  /** Whether an instant has markers. */
  def exist(files: TimelineFiles, instant: String): Boolean =
    files.storage.status(folder(files, instant)).nonEmpty

  /** Returns the paths of the base and log files that an instant's markers name, relative to the
    * table. In version 6, another instant may have written to such a log file before. */
  def dataFiles(files: TimelineFiles, instant: String): Seq[String] =
    below(files.storage, folder(files, instant), "")

  /** Deletes an instant's markers. */
  def deleteAll(files: TimelineFiles, instant: String): Unit =
    files.storage.deleteFilesBelow(folder(files, instant))

  /** Returns the instants that have markers. */
  def instants(files: TimelineFiles): Seq[String] =
    files.storage.names(files.at(files.layout.markers))

  private def folder(files: TimelineFiles, instant: String): Path =
    files.at(s"${files.layout.markers}/$instant")

  private def linesOf(storage: Storage, path: Path): Seq[String] =
    new String(storage.read(path), UTF_8).linesIterator.collect { case name(file, _) => file }.toSeq

  private def below(storage: Storage, dir: Path, prefix: String): Seq[String] =
    storage.list(dir).flatMap { entry =>
      entry.name match {
        case folder if entry.isDirectory => below(storage, entry.path, s"$prefix$folder/")
        case name(dataFile, _) => Seq(prefix + dataFile)
        case served() if prefix.isEmpty => linesOf(storage, entry.path)
        case _ => Seq.empty
      }
    }
}
