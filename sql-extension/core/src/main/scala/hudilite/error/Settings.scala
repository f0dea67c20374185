package hudilite.error

/** Session settings of hudilite-settings.json: their default and their allowed values. */
object Settings {
  private final case class Known(default: String, values: String)

  private val resource = "/hudilite-settings.json"
  private lazy val settings: Map[String, Known] = JsonEntries.of(resource).map { case (key, node) =>
    key -> Known(node.path("default").asText, node.path("values").asText)
  }.toMap

  /** Returns the keys of all settings. */
  def all: Set[String] = settings.keySet

  /** Returns the value of a setting that the session does not set. */
  def default(key: String): String = find(key).default

  /** Returns the allowed values of a setting: the values separated by commas, or examples of a
    * number. */
  def values(key: String): String = find(key).values

  private def find(key: String): Known =
    settings.getOrElse(
      key,
      throw new IllegalArgumentException(s"INTERNAL: $key is not in $resource")
    )
}
