package hudilite.io

import java.nio.file.Files
import java.nio.file.attribute.PosixFilePermissions
import java.util.concurrent.atomic.AtomicReference

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs.{
  FSDataOutputStream,
  FileSystem,
  FsConstants,
  LocalFileSystem,
  Path,
  RawLocalFileSystem
}
import org.apache.hadoop.util.Progressable
import org.apache.parquet.hadoop.util.{HadoopOutputFile, HadoopStreams}
import org.apache.parquet.io.PositionOutputStream

/** Output of a new data file, which is written once, with the permissions and checksums of its file
  * system.
  * @param path path at which no file exists and which nobody else creates */
final class NewFile(path: Path, conf: Configuration) extends DataOutput {
  private val files = NewFile.systemOf(path, conf)
  private val stream = new AtomicReference[FSDataOutputStream]

  override def create(blockBytes: Long): PositionOutputStream = open(blockBytes, overwrite = false)

  override def createOrOverwrite(blockBytes: Long): PositionOutputStream =
    open(blockBytes, overwrite = true)

  override def supportsBlockSize: Boolean =
    HadoopOutputFile.getBlockFileSystems.contains(files.getUri.getScheme)
  override def defaultBlockSize: Long = files.getDefaultBlockSize(path)
  override def getPath: String = path.toString
  override def toString: String = path.toString

  /** Discards what was written, on a file system that can do so: there, nothing becomes visible
    * when the stream is closed. */
  override def abort(): Unit = Option(stream.get).foreach(WholeFile.abort)

  /** Opens the stream. An object store is not asked whether the name is free. */
  private def open(blockBytes: Long, overwrite: Boolean): PositionOutputStream = {
    val out =
      if (WholeFile.isFast(files, path)) WholeFile.overwrite(files, path)
      else
        files.create(
          path,
          overwrite,
          NewFile.bufferBytes,
          files.getDefaultReplication(path),
          math.max(files.getDefaultBlockSize(path), blockBytes),
          Option.empty[Progressable].orNull
        )
    stream.set(out)
    HadoopStreams.wrap(out)
  }
}

private object NewFile {

  /** Bytes that are passed to the operating system in one call; Hadoop's default is 4 KB. */
  private val bufferBytes = 256 << 10

  /** Classes for local files. Hive's class, which comes with Spark, creates files as its parent
    * class does. */
  private val ofHadoop =
    Set(classOf[LocalFileSystem].getName, "org.apache.hadoop.hive.ql.io.ProxyLocalFileSystem")

  /** Returns the file system of a path. Replaces Hadoop's own for local files, which starts two
    * processes for each new file to set its permissions. */
  private def systemOf(path: Path, conf: Configuration): FileSystem = {
    val found = path.getFileSystem(conf)
    if (ofHadoop(found.getClass.getName)) local(conf) else found
  }

  private def local(conf: Configuration): FileSystem = {
    val files = new LocalFileSystem(new DirectPermissions)
    files.setConf(conf)
    files.initialize(FsConstants.LOCAL_FS_URI, conf)
    files
  }

  private final class DirectPermissions extends RawLocalFileSystem {
    override def setPermission(path: Path, permission: FsPermission): Unit = {
      val bits = PosixFilePermissions.fromString(permission.toString)
      Files.setPosixFilePermissions(pathToFile(path).toPath, bits): Unit
    }
  }
}
