package hudilite.io

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.util.VersionInfo

/** File system of a path, which comes with Hadoop or from a connector on the class path. */
private[io] object PathFileSystem {

  /** Hadoop's module with the file system of a scheme. */
  private val modules = Map(
    "s3a" -> "hadoop-aws",
    "abfs" -> "hadoop-azure",
    "abfss" -> "hadoop-azure"
  )

  /** Returns the file system of a path.
    * Errors: HUDILITE_PATH_INVALID without a connector for the scheme, IOException and
    * IllegalArgumentException of the connector. */
  def of(path: Path, conf: Configuration): FileSystem =
    try path.getFileSystem(conf)
    catch {
      case fault @ (_: Exception | _: NoClassDefFoundError) =>
        val scheme =
          Option(path.toUri.getScheme).getOrElse(FileSystem.getDefaultUri(conf).getScheme)
        val isAbsent = Try(FileSystem.getFileSystemClass(scheme, conf)).isFailure
        if (!isAbsent && !fault.isInstanceOf[NoClassDefFoundError]) throw fault
        throw Storage.unusable(path, StorageFault.detail(fault), remedy(scheme, conf), fault)
    }

  private def remedy(scheme: String, conf: Configuration): String = scheme match {
    case "s3" | "s3n" if Option(conf.get(s"fs.$scheme.impl")).isEmpty => "Write s3a: instead of it."
    case known if modules.contains(known) =>
      "Start Spark with --conf spark.jars.packages=" +
        s"org.apache.hadoop:${modules(known)}:${VersionInfo.getVersion}."
    case other =>
      s"Add the connector for $other:, with its libraries, to spark.jars, or write another path."
  }
}
