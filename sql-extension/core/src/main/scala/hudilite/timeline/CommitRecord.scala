package hudilite.timeline

import org.apache.hadoop.fs.Path

/** Content of a number file: all that another writer needs to check against this commit or to
  * publish it.
  * @param kind     what took the number
  * @param instant  instant that got the number, or lost it
  * @param action   commit or replacecommit
  * @param writer   uuid of the attempt that made the record; an answer that got lost is recognised
  *                 by it
  * @param touched  what the commit wrote or hid
  * @param metadata JSON of the completed file, for kind commit
  * Source: design D10. */
private[hudilite] final case class CommitRecord(
    kind: CommitRecord.Kind,
    instant: String,
    action: String,
    writer: String,
    touched: Set[FileGroupRef],
    metadata: Option[String]
) {
  def toJson: String = {
    val root = Json.newObject()
    root.put("kind", kind.text).put("instant", instant).put("action", action).put("writer", writer)
    val groups = root.putArray("touched")
    touched.toVector.sortBy(ref => (ref.partition, ref.group)).foreach { ref =>
      groups.addObject().put("partition", ref.partition).put("group", ref.group)
    }
    metadata.foreach(text => root.put("metadata", text))
    Json.pretty(root)
  }

  /** Name of the completed file that belongs to the number. */
  def completed: Instant = Instant(instant, action, Instant.Completed)

  /** The touched parts that exclude a commit which touches `others`. */
  def conflicts(others: Set[FileGroupRef]): Option[FileGroupRef] =
    others.find(other => touched.exists(_.conflicts(other)))
}

private[hudilite] object CommitRecord {
  sealed abstract class Kind(val text: String)

  /** Our own write; creating the number is its commit point. */
  case object Commit extends Kind("commit")

  /** A completed instant that came without a number. */
  case object Adopted extends Kind("adopted")

  /** The instant is rolled back and never completes. */
  case object Abort extends Kind("abort")

  private val kinds = Seq(Commit, Adopted, Abort)

  /** Errors: HUDILITE_CORRUPT_TIMELINE. */
  def parse(bytes: Array[Byte], path: Path): CommitRecord = {
    val root = Json.parse(bytes, path)
    def needed(field: String): String =
      Json.text(root, field).getOrElse(throw Timeline.corrupt(path, s"$field is missing"))
    val kind = kinds
      .find(_.text == needed("kind"))
      .getOrElse(throw Timeline.corrupt(path, s"kind ${needed("kind")} is not known"))
    val touched = Json.items(root.path("touched")).map { ref =>
      FileGroupRef(ref.path("partition").asText, ref.path("group").asText)
    }
    val metadata = Json.text(root, "metadata")
    if (kind == Commit && metadata.isEmpty) throw Timeline.corrupt(path, "metadata is missing")
    CommitRecord(
      kind,
      needed("instant"),
      needed("action"),
      needed("writer"),
      touched.toSet,
      metadata
    )
  }
}
