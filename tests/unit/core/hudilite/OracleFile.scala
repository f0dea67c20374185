package hudilite

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** Files of tests/oracle that hold what stock Hudi printed. */
object OracleFile {
  private val folder: Path = Iterator
    .iterate(Paths.get("").toAbsolutePath)(_.getParent)
    .map(_.resolve("tests/oracle"))
    .find(Files.isDirectory(_))
    .get

  /** Elements of a JSON array. */
  def rows(name: String): Seq[JsonNode] = {
    val rows = new ObjectMapper().readTree(folder.resolve(name).toFile).elements.asScala.toVector
    assert(rows.nonEmpty, s"$name is empty")
    rows
  }

  /** Texts of a JSON array. */
  def texts(node: JsonNode): Seq[String] = node.elements.asScala.map(_.asText).toVector
}
