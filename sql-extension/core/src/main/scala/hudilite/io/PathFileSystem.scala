package hudilite.io

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path, UnsupportedFileSystemException}
import org.apache.hadoop.util.VersionInfo

import hudilite.error.HudiliteException

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
      case fault @ (_: Exception | _: LinkageError) if isOfClassPath(fault) =>
        val scheme = Option(path.toUri.getScheme)
          .getOrElse(FileSystem.getDefaultUri(conf).getScheme)
        val reason = HudiliteException.causes(fault).toSeq.last.getMessage
        throw Storage.unusable(path, reason, remedy(scheme), fault)
    }

  /** Whether a class is missing. */
  def isOfClassPath(fault: Throwable): Boolean = HudiliteException.causes(fault).exists {
    case _: UnsupportedFileSystemException | _: ClassNotFoundException | _: LinkageError => true
    case _ => false
  }

  /** Returns what to do if a class of the connector for a scheme is missing. */
  def remedy(scheme: String): String = scheme match {
    case "s3" | "s3n" => "Write s3a: instead of it."
    case known if modules.contains(known) =>
      "Start Spark with --conf spark.jars.packages=" +
        s"org.apache.hadoop:${modules(known)}:${VersionInfo.getVersion}."
    case other =>
      s"Add the connector for $other:, with its libraries, to spark.jars, or write another path."
  }
}
