package hudilite

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** Files of tests/oracle that hold what stock Hudi printed. */
object OracleFile {

  /** Elements of a JSON array. */
  def rows(name: String): Seq[JsonNode] = {
    val rows = new ObjectMapper()
      .readTree(RepositoryFile.path(s"tests/oracle/$name").toFile)
      .elements
      .asScala
      .toVector
    assert(rows.nonEmpty, s"$name is empty")
    rows
  }

  /** Texts of a JSON array. */
  def texts(node: JsonNode): Seq[String] = node.elements.asScala.map(_.asText).toVector
}
