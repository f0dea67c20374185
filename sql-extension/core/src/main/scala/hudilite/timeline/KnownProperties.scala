package hudilite.timeline

import org.apache.hadoop.fs.Path

import hudilite.format.TableConfig
import hudilite.io.SoftCache

/** Properties of a table as this JVM has read them, with the tag that tells whether they have
  * changed since. */
private[timeline] final case class KnownProperties(config: TableConfig, tag: String)

private[timeline] object KnownProperties {
  private val tables = new SoftCache[Path, KnownProperties]

  /** Returns what is known of the properties in a file. */
  def of(file: Path): Option[KnownProperties] = tables.get(file)

  /** Reads and checks the properties of a table.
    * Errors: those of [[TimelineFiles.config]]. */
  def read(files: TimelineFiles): TableConfig = {
    val (config, tag) = files.taggedConfig()
    tag.foreach(found => tables.put(files.properties, KnownProperties(config, found)))
    config
  }
}
