package hudilite.spark.catalog

import java.util.Locale

import org.apache.hadoop.fs.Path

import hudilite.io.Storage

/** A table of Delta or Iceberg, known by the metadata in its folder.
  * @param project name of the project
  * @param folder  folder of the table */
final case class ForeignTable(project: String, folder: Path) {

  /** Name of the project in USING and `format(..)`. */
  def provider: String = project.toLowerCase(Locale.ROOT)
}

object ForeignTable {

  /** Returns the table in a folder. */
  def in(storage: Storage, folder: Path): Option[ForeignTable] = {
    def isDelta = storage.status(Storage.resolve(folder, "_delta_log")).exists(_.isDirectory)
    def isIceberg =
      storage.names(Storage.resolve(folder, "metadata")).exists(_.endsWith(".metadata.json"))
    if (isDelta) Some(ForeignTable("Delta", folder))
    else Option.when(isIceberg)(ForeignTable("Iceberg", folder))
  }

  /** Returns the table in the nearest folder, at or above another one, that has one. */
  def around(storage: Storage, folder: Path): Option[ForeignTable] =
    above(folder).flatMap(in(storage, _)).nextOption()

  /** Returns a folder and those above it, the nearest first. */
  private[spark] def above(folder: Path): Iterator[Path] =
    Iterator.iterate(Option(folder))(_.flatMap(p => Option(p.getParent)))
      .takeWhile(_.nonEmpty).flatten
}
