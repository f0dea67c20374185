package hudilite.timeline

import java.lang.ref.SoftReference
import java.util.concurrent.ConcurrentHashMap

import org.apache.hadoop.fs.Path

import hudilite.format.TableConfig

/** Properties of a table as this JVM has read them, with the tag that tells whether they have
  * changed since. */
private[timeline] final case class KnownProperties(config: TableConfig, tag: String)

private[timeline] object KnownProperties {
  private val tables = new ConcurrentHashMap[Path, SoftReference[KnownProperties]]

  /** Returns what is known of the properties in a file. */
  def of(file: Path): Option[KnownProperties] =
    Option(tables.get(file)).flatMap(r => Option(r.get))

  /** Reads and checks the properties of a table.
    * Errors: those of [[TimelineFiles.config]]. */
  def read(files: TimelineFiles): TableConfig = {
    val (config, tag) = files.taggedConfig()
    tag.foreach { found =>
      tables.put(files.properties, new SoftReference(KnownProperties(config, found)))
    }
    config
  }
}
