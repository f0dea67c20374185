package hudilite.error

import java.util.regex.Matcher

import com.fasterxml.jackson.databind.JsonNode

/** Error conditions of hudilite-conditions.json: name, text with `<parameters>`, SQLSTATE. */
object Conditions {
  private final case class Condition(template: String, sqlState: String)

  private val resource = "/hudilite-conditions.json"
  private val parameter = "<([A-Za-z]+)>".r
  private lazy val conditions: Vector[(String, Condition)] = load()
  private lazy val byName: Map[String, Condition] = conditions.toMap

  /** Returns the names of all conditions, in the order of the file. */
  def all: Seq[String] = conditions.map(_._1)

  /** Returns the text of a condition, without values for its parameters. */
  def template(condition: String): String = find(condition).template

  /** Returns the SQLSTATE of a condition, five characters. */
  def sqlState(condition: String): String = find(condition).sqlState

  /** Returns the names of the parameters in a condition's text. */
  def parameters(condition: String): Set[String] =
    parameter.findAllMatchIn(template(condition)).map(_.group(1)).toSet

  /** Returns the text of a condition with the values of its parameters; a parameter without a value
    * stays `<name>`. */
  def message(condition: String, parameters: Map[String, String]): String =
    parameter.replaceAllIn(
      template(condition),
      m => Matcher.quoteReplacement(parameters.getOrElse(m.group(1), m.matched))
    )

  private def find(condition: String): Condition =
    byName.getOrElse(
      condition,
      throw new IllegalArgumentException(s"INTERNAL: $condition is not in $resource")
    )

  private def load(): Vector[(String, Condition)] =
    JsonEntries.of(resource).map { case (name, node) => name -> condition(node) }

  private def condition(node: JsonNode): Condition =
    Condition(node.path("message").asText, node.path("sqlState").asText)
}
