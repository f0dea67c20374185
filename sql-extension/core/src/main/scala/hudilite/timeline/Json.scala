package hudilite.timeline

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.{
  JsonFactoryBuilder,
  JsonProcessingException,
  StreamReadConstraints
}
import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode}
import org.apache.hadoop.fs.Path

import hudilite.io.Storage

/** JSON by Jackson with limits, because files on disk may be damaged or forged. */
private[hudilite] object Json {
  private val maxDepth = 64
  private val limits = StreamReadConstraints.builder
    .maxNestingDepth(maxDepth)
    .maxStringLength(Storage.maxReadBytes.toInt)
    .build
  private val mapper = JsonMapper
    .builder(new JsonFactoryBuilder().streamReadConstraints(limits).build)
    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
    .build

  def newObject(): ObjectNode = mapper.createObjectNode

  def pretty(node: JsonNode): String =
    mapper.writerWithDefaultPrettyPrinter.writeValueAsString(node)

  /** Parses one JSON object.
    * Errors: HUDILITE_CORRUPT_TIMELINE unless the bytes are exactly one JSON object. */
  def parse(bytes: Array[Byte], path: Path): ObjectNode =
    try
      mapper.readTree(bytes) match {
        case node: ObjectNode => node
        case _ if bytes.isEmpty => throw Timeline.corrupt(path, "the file is empty")
        case _ => throw Timeline.corrupt(path, "the file does not contain a JSON object")
      }
    catch {
      case e: JsonProcessingException => throw Timeline.corrupt(path, e.getOriginalMessage)
    }

  /** Returns the names of the fields of a text that is one JSON object; None for another text. */
  def keys(text: String): Option[Set[String]] =
    try
      mapper.readTree(text) match {
        case node: ObjectNode => Some(entries(node).map(_._1).toSet)
        case _ => None
      }
    catch { case _: JsonProcessingException => None }

  def entries(node: JsonNode): Vector[(String, JsonNode)] =
    node.properties.asScala.toVector.map(e => e.getKey -> e.getValue)

  def items(node: JsonNode): Vector[JsonNode] = node.elements.asScala.toVector

  /** Returns the text of a field, or None if it is absent or not a text. */
  def text(node: JsonNode, field: String): Option[String] =
    Option(node.get(field)).filter(_.isTextual).map(_.textValue)
}
