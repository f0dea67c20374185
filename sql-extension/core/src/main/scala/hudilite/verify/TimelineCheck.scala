package hudilite.verify

import org.apache.hadoop.fs.Path

import hudilite.io.{FileEntry, Storage}
import hudilite.timeline.{AvroFile, CommitMetadata, Instant, Timeline}

/** Check of the timeline's files, each on its own: one that cannot be read hides no other.
  * @param findings damaged files, and instants that are pending
  * @param metadata metadata of each committed write whose completed file can be read, by instant
  * Source: hudi-format §3, faults F34-F41. */
private[verify] final class TimelineCheck(
    val findings: Seq[Finding],
    val metadata: Map[String, CommitMetadata]
)

private[verify] object TimelineCheck {

  /** Actions whose completed file is an Avro container. */
  private val avro = Set("clean", "rollback", "restore", "savepoint")

  def run(storage: Storage, basePath: Path): TimelineCheck = {
    val found = storage
      .list(Timeline.folder(basePath))
      .filter(!_.isDirectory)
      .flatMap(entry => Instant.parse(entry.name).map(_ -> entry))
    val done = found.filter(_._1.state == Instant.Completed)
    val commits = done.filter(_._1.isWrite).map(d => d._1.time -> commit(storage, d._2))
    val numbers = NumberCheck.run(storage, basePath, found.map(_._1).toSet)
    new TimelineCheck(
      commits.flatMap(_._2.left.toOption) ++
        done.filter(d => avro(d._1.action)).flatMap(d => container(storage, d._2)) ++
        ambiguous(done.map(_._1)) ++ numbers.findings ++
        pending(found.map(_._1).filterNot(i => numbers.unpublished.contains(i.time))),
      commits.flatMap(c => c._2.toOption.map(c._1 -> _)).toMap
    )
  }

  private def commit(storage: Storage, entry: FileEntry): Either[Finding, CommitMetadata] =
    if (entry.length == 0)
      Left(Finding.error("COMMIT_EMPTY", place(entry), "the completed file has no bytes"))
    else
      Finding.attempt(Finding.error("COMMIT_DAMAGED", place(entry), _)) {
        CommitMetadata.parse(storage.read(entry.path), entry.path)
      }

  private def container(storage: Storage, entry: FileEntry): Option[Finding] =
    Finding
      .attempt(Finding.error("INSTANT_DAMAGED", place(entry), _)) {
        AvroFile.records(storage.read(entry.path), entry.path)
      }
      .left
      .toOption

  /** Returns findings for instants that are completed with two actions. Savepoints are excluded,
    * because a savepoint has the time of the commit that it keeps. */
  private def ambiguous(done: Seq[Instant]): Seq[Finding] =
    done.filter(_.action != "savepoint").groupBy(_.time).values.filter(_.size > 1).toSeq.map {
      several =>
        Finding.error(
          "INSTANT_AMBIGUOUS",
          place(several.map(_.fileName).max),
          s"the instant is completed as ${several.map(_.action).sorted.mkString(" and as ")}"
        )
    }

  private def pending(instants: Seq[Instant]): Seq[Finding] = {
    val done = instants.filter(_.state == Instant.Completed).map(_.time).toSet
    val open = instants.filter(i => i.isWrite && !done(i.time))
    open.groupBy(_.time).values.toSeq.map { states =>
      val latest = states.max(Instant.order)
      Finding.info(
        "INSTANT_PENDING",
        place(latest.fileName),
        s"the write ${latest.time} has not ended: it runs, or its writer is dead and " +
          s"CALL rollback(table => ..., instant => '${latest.time}') takes it back"
      )
    }
  }

  private def place(entry: FileEntry): String = place(entry.name)

  private def place(name: String): String = s".hoodie/$name"
}
