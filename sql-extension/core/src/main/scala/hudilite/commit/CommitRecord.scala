package hudilite.commit

import org.apache.hadoop.fs.Path

import hudilite.timeline.{FileGroupRef, Instant, Json, Timeline, TimelineLayout}

/** Content of a number file: everything that another writer needs for checking conflicts with this
  * commit or for publishing it.
  * @param kind     reason why the number is taken
  * @param instant  instant that got the number, or that is aborted by it
  * @param action   commit or replacecommit
  * @param writer   uuid of the attempt that made the record; a writer recognizes its own record by
  *                 it after a lost answer
  * @param touched  file groups, buckets or partitions that the commit wrote or hid
  * @param metadata JSON of the commit's metadata, for kind commit
  * @param before   a commit that shares the number and is published first
  * @param completion time of completion in the name of the completed file, for kind commit in table
  *                   versions 8 and 9; it is determined before the number is taken, so that all who
  *                   publish the number create the same file
  * @param version    code of the table version that the table gets, for kind moved
  * @param schemaFile for kind commit, if Hudi's metadata table is kept: file of its partition `files`
  *                   from which the block of the commit gets its schema
  * Source: design D10. */
private[hudilite] final case class CommitRecord(
    kind: CommitRecord.Kind,
    instant: String,
    action: String,
    writer: String,
    touched: Set[FileGroupRef],
    metadata: Option[String],
    before: Option[CommitRecord.Before] = None,
    completion: Option[String] = None,
    version: Option[String] = None,
    schemaFile: Option[String] = None
) {
  def toJson: String = {
    val root = Json.newObject()
    root.put("kind", kind.text).put("instant", instant).put("action", action).put("writer", writer)
    completion.foreach(time => root.put("completion", time))
    version.foreach(code => root.put("version", code))
    schemaFile.foreach(file => root.put("schemaFile", file))
    val groups = root.putArray("touched")
    touched.toVector.sortBy(ref => (ref.partition, ref.group)).foreach { ref =>
      groups.addObject().put("partition", ref.partition).put("group", ref.group)
    }
    metadata.foreach(text => root.put("metadata", text))
    before.foreach { of =>
      val other = root.putObject("before").put("instant", of.instant).put("metadata", of.metadata)
      of.completion.foreach(time => other.put("completion", time))
    }
    Json.pretty(root)
  }

  /** Returns the instants of the number, in the order in which they are published. */
  def instants: Seq[String] = before.map(_.instant).toSeq :+ instant

  /** Returns the JSON of the metadata of one of these instants. */
  def metadataOf(time: String): Option[String] =
    before.filter(_.instant == time).map(_.metadata).orElse(metadata.filter(_ => time == instant))

  /** Returns the completed file of the number's own instant; None if its name is not known. That is
    * so after stock Hudi has upgraded the table, which rolls back what is not completed. */
  def completed(layout: TimelineLayout): Option[Instant] =
    layout.completed(instant, action, completion)

  /** Returns the file that stands for the number's own instant in messages. */
  def shown(layout: TimelineLayout): Instant =
    completed(layout).getOrElse(Instant(instant, action, Instant.Inflight))

  /** Returns the record with times of completion.
    * @param next returns a time of completion above those of the timeline and above these times; None
    *             if the layout has none */
  def completing(next: Seq[String] => Option[String]): CommitRecord = {
    val first = before.map(of => of.copy(completion = next(Seq(of.instant))))
    copy(before = first, completion = next(instant +: first.flatMap(_.completion).toSeq))
  }

  /** Whether the commit is in the partition `files` of Hudi's metadata table before it is published. */
  def keepsFiles: Boolean = schemaFile.nonEmpty

  /** Returns the highest time of completion in the record. */
  def lastCompletion: Option[String] = (before.flatMap(_.completion) ++ completion).maxOption

  /** Returns the first of `others` that conflicts with what this commit touched, or None. */
  def conflicts(others: Set[FileGroupRef]): Option[FileGroupRef] =
    others.find(other => touched.exists(_.conflicts(other)))
}

private[hudilite] object CommitRecord {
  sealed abstract class Kind(val text: String)

  /** Write of hudilite; the creation of the number is its commit point. */
  case object Commit extends Kind("commit")

  /** Completed instant that had no number yet. */
  case object Adopted extends Kind("adopted")

  /** Instant that is rolled back and never completes. */
  case object Abort extends Kind("abort")

  /** Change of the table version that moves the timeline into another layout. The number decides the
    * change: no write in the old layout gets a later one. */
  case object Moved extends Kind("moved")

  /** Change of the table type, which is in the instant. The number decides the change: no write that was
    * planned for the other type gets a later one. */
  case object Retyped extends Kind("retyped")

  /** Change of the numbers of buckets, which are in the instant. The number decides the change: no write
    * that was planned for others gets a later one. */
  case object Rescaled extends Kind("rescaled")

  /** Commit that shares the number and the action of another one: readers see both or neither.
    * @param metadata   JSON of its metadata
    * @param completion as that of the record */
  final case class Before(instant: String, metadata: String, completion: Option[String] = None) {

    /** Returns the completed file of this commit; None if its name is not known.
      * @param action that of the record */
    def completed(layout: TimelineLayout, action: String): Option[Instant] =
      layout.completed(instant, action, completion)
  }

  private val kinds = Seq(Commit, Adopted, Abort, Moved, Retyped, Rescaled)

  /** Parses the content of a number file.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def parse(bytes: Array[Byte], path: Path): CommitRecord = {
    val root = Json.parse(bytes, path)
    def needed(field: String): String =
      Json.text(root, field).getOrElse(throw Timeline.corrupt(path, s"$field is missing"))
    val kind = kinds
      .find(_.text == needed("kind"))
      .getOrElse(throw Timeline.corrupt(path, s"kind ${needed("kind")} is unknown"))
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
      metadata,
      for {
        time <- Json.text(root.path("before"), "instant")
        json <- Json.text(root.path("before"), "metadata")
      } yield Before(time, json, Json.text(root.path("before"), "completion")),
      Json.text(root, "completion"),
      Json.text(root, "version"),
      Json.text(root, "schemaFile")
    )
  }
}
