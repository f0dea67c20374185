package hudilite.error

import java.util.regex.Matcher

import com.fasterxml.jackson.databind.JsonNode

/** The error conditions of hudilite-conditions.json: name, text with `<parameters>`, SQLSTATE. */
object Conditions {
  private final case class Condition(template: String, sqlState: String)

  private val resource = "/hudilite-conditions.json"
  private val parameter = "<([A-Za-z]+)>".r
  private lazy val conditions: Vector[(String, Condition)] = load()
  private lazy val byName: Map[String, Condition] = conditions.toMap

  /** Names of all conditions, in the order of the file. */
  def all: Seq[String] = conditions.map(_._1)

  /** Text of a condition before its parameters are filled in. */
  def template(condition: String): String = find(condition).template

  /** SQLSTATE of a condition, five characters. */
  def sqlState(condition: String): String = find(condition).sqlState

  /** Names of the parameters in a condition's text. */
  def parameters(condition: String): Set[String] =
    parameter.findAllMatchIn(template(condition)).map(_.group(1)).toSet

  /** Text of a condition with its parameters filled in; a parameter without a value shows as
    * `<name>`. */
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
