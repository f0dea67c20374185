package hudilite.error

/** The settings of hudilite-settings.json: what a session may say, and what holds where it says nothing. */
object Settings {
  private final case class Known(default: String, values: String)

  private val resource = "/hudilite-settings.json"
  private lazy val settings: Map[String, Known] = JsonEntries.of(resource).map { case (key, node) =>
    key -> Known(node.path("default").asText, node.path("values").asText)
  }.toMap

  /** Keys of all settings. */
  def all: Set[String] = settings.keySet

  /** What holds where nothing is said. */
  def default(key: String): String = find(key).default

  /** What may be said: words with commas between them, or what a number looks like. */
  def values(key: String): String = find(key).values

  private def find(key: String): Known =
    settings.getOrElse(
      key,
      throw new IllegalArgumentException(s"INTERNAL: $key is not in $resource")
    )
}
