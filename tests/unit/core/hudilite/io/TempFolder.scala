package hudilite.io

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path => LocalPath}

import org.apache.hadoop.fs.Path

/** A folder of its own for one test, deleted afterwards; in memory where the system offers that. */
object TempFolder {
  private val memory = LocalPath.of("/dev/shm")

  def use[A](test: Path => A): A = {
    val folder =
      if (Files.isWritable(memory)) Files.createTempDirectory(memory, "hudilite-")
      else Files.createTempDirectory("hudilite-")
    try test(new Path(folder.toUri))
    finally LocalStorage.deleteTree(new Path(folder.toUri)): Unit
  }

  def local(path: Path): LocalPath = LocalPath.of(path.toUri.getPath)

  def text(path: Path): String = new String(LocalStorage.read(path), UTF_8)

  def bytes(text: String): Array[Byte] = text.getBytes(UTF_8)

  /** Creates or overwrites, as a foreign program would. */
  def write(path: Path, text: String): Unit = {
    Files.createDirectories(local(path).getParent)
    Files.write(local(path), bytes(text)): Unit
  }

  /** Names in a folder, hidden ones too. */
  def names(dir: Path): Set[String] = {
    val files = local(dir).toFile.list
    Option(files).fold(Set.empty[String])(_.toSet)
  }
}
