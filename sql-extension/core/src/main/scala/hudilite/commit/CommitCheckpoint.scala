package hudilite.commit

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.HexFormat

import com.fasterxml.jackson.databind.JsonNode
import org.apache.hadoop.fs.Path

import hudilite.format.BucketCounts
import hudilite.timeline.{CommitChecksum, FileGroupRef, Instant, Json, Timeline}

/** Summary of all commits up to a number. A load starts from it instead of reading each of them.
  *
  * It is never the truth, and a new one can be built from the commits at any time: a load ignores a
  * checkpoint that is damaged, that belongs to another table, whose number has another instant now,
  * or that covers a commit whose completed file is gone, new or changed.
  *
  * @param table    uuid of the table
  * @param number   highest commit number that it covers
  * @param instant  instant of this number
  * @param stamps   digest of the completed files that it covers, see [[CommitCheckpoint.digest]]
  * @param aborted  instants that abort records among the numbers name
  * @param replaced file groups that replacecommits hid, each with the instant of the replacecommit
  * @param latest   latest base file of each file group according to the commits
  * @param retyped  last change of the table type among the numbers
  * @param counts   numbers of buckets after the last change of these among the numbers
  * Source: design D10. */
private[hudilite] final case class CommitCheckpoint(
    table: String,
    number: Long,
    instant: String,
    stamps: String,
    aborted: Set[String],
    replaced: Map[FileGroupRef, String],
    latest: CommittedFile.Latest,
    retyped: Option[TypeDecision.Decided] = None,
    counts: Option[BucketCounts] = None
) {

  /** Returns the JSON, with its checksum. */
  def toJson: String = {
    val root = Json.newObject()
    root.put(CommitChecksum.key, CommitChecksum.blank).put("version", CommitCheckpoint.version)
    root.put("table", table).put("number", number).put("instant", instant)
    root.put("stamps", stamps)
    retyped.foreach { of =>
      root.putArray("retyped").add(of.number).add(Instant.ofType(of.isMergeOnRead))
    }
    counts.foreach(of => root.put("counts", Instant.ofCounts(of)))
    val aborts = root.putArray("aborted")
    aborted.toVector.sorted.foreach(time => aborts.add(time))
    val hidden = root.putArray("replaced")
    replaced.toVector.sortBy { case (ref, _) => (ref.partition, ref.group) }.foreach {
      case (ref, time) => hidden.addArray().add(ref.partition).add(ref.group).add(time)
    }
    val files = root.putObject("latest")
    latest.toVector.sortBy(_._1).foreach { case (partition, groups) =>
      val of = files.putArray(partition)
      groups.toVector.sortBy(_._1).foreach { case (fileId, file) =>
        of.addArray().add(fileId).add(file.instant).add(file.name).add(file.length)
      }
    }
    CommitChecksum.put(Json.pretty(root))
  }
}

private[hudilite] object CommitCheckpoint {

  /** Number of commits after which a new checkpoint is written. */
  val every = 10

  /** Largest checkpoint in bytes; a table with more file groups than fit has none. */
  val maxBytes: Int = 16 << 20

  private val version = 1

  /** Returns a digest of the completed files of some commits: their instants, lengths and times of
    * change. */
  def digest(stamps: Map[String, Timeline.Stamp]): String = {
    val text = stamps.toVector.sortBy(_._1).map { case (time, stamp) =>
      s"$time ${stamp.bytes} ${stamp.modifiedMillis}"
    }
    val hash = MessageDigest.getInstance("SHA-256").digest(text.mkString("\n").getBytes(UTF_8))
    HexFormat.of.formatHex(hash)
  }

  /** Parses the content of a checkpoint.
    * Errors: HUDILITE_CORRUPT_TIMELINE if it is damaged or has another version. */
  def parse(bytes: Array[Byte], path: Path): CommitCheckpoint = {
    val root = Json.parse(bytes, path)
    if (Json.text(root, CommitChecksum.key).isEmpty) throw corrupt(path)
    CommitChecksum.check(bytes, path)
    def text(field: String): String = Json.text(root, field).getOrElse(throw corrupt(path))
    if (root.path("version").asInt != version) throw corrupt(path)
    CommitCheckpoint(
      text("table"),
      root.path("number").asLong,
      text("instant"),
      text("stamps"),
      Json.items(root.path("aborted")).map(_.asText).toSet,
      Json.items(root.path("replaced")).map(r => FileGroupRef(part(r, 0), part(r, 1)) -> part(r, 2))
        .toMap,
      Json.entries(root.path("latest")).map { case (partition, files) =>
        partition -> Json.items(files).map(file => part(file, 0) -> committed(file)).toMap
      }.toMap,
      Instant.typedAs(part(root.path("retyped"), 1))
        .map(TypeDecision.Decided(root.path("retyped").path(0).asLong, _)),
      Json.text(root, "counts").flatMap(Instant.countsOf)
    )
  }

  private def committed(file: JsonNode): CommittedFile =
    CommittedFile(part(file, 1), part(file, 2), file.path(3).asLong)

  private def part(array: JsonNode, at: Int): String = array.path(at).asText

  private def corrupt(path: Path) = Timeline.corrupt(path, "it is not a checkpoint of this version")
}
