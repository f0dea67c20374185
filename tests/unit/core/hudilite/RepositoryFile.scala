package hudilite

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

/** Files of the repository that a suite runs in. */
object RepositoryFile {
  private val root: Path = Iterator
    .iterate(Paths.get("").toAbsolutePath)(_.getParent)
    .find(folder => Files.exists(folder.resolve("build.sbt")))
    .get

  def path(name: String): Path = root.resolve(name)

  /** Text of all Scala sources but the tests'. */
  def mainSources: String =
    Seq("sql-extension", "procedures")
      .map(path)
      .filter(Files.isDirectory(_))
      .map(text(_, ".scala"))
      .mkString

  /** Text of the Python package. */
  def pythonSources: String = text(path("python/src"), ".py")

  private def text(folder: Path, suffix: String): String = Using.resource(Files.walk(folder)) {
    files =>
      files.iterator.asScala.filter(_.toString.endsWith(suffix)).map(Files.readString).mkString
  }
}
