package hudilite.lock

import java.io.IOException
import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}

import org.apache.hadoop.fs.Path

import hudilite.io.TaggedWrites

/** One object of a store whose requests end as a test says. */
final class FakeWrites extends TaggedWrites {
  import FakeWrites._

  private val content = new AtomicReference(Option.empty[(Array[Byte], String)])
  private val outcomes = new AtomicReference(Vector.empty[Outcome])
  private val looks = new AtomicReference(Vector.empty[() => Unit])
  private val tags = new AtomicInteger
  private val made = new AtomicReference(Vector.empty[(Option[String], LockFile)])

  /** The requests that had an effect, each with its condition. */
  def effects: Vector[(Option[String], LockFile)] = made.get

  /** How the next writes end; later ones are clean. */
  def next(ends: Outcome*): Unit = outcomes.set(ends.toVector)

  /** What happens right after the next looks. */
  def afterLooks(events: (() => Unit)*): Unit = looks.set(events.toVector)

  /** Replaces the content as another writer. */
  def by(other: LockFile): Unit = store(other.bytes)

  def now: Option[LockFile] = content.get.map(c => LockFile.parse(c._1, path))

  def find(at: Path): Option[(Array[Byte], String)] = {
    val found = content.get
    looks.getAndUpdate(_.drop(1)).headOption.foreach(_())
    found
  }

  def put(at: Path, bytes: Array[Byte], tag: Option[String]): Unit =
    outcomes.getAndUpdate(_.drop(1)).headOption.getOrElse(Clean) match {
      case Clean => replace(bytes, tag)
      case LostAnswer =>
        replace(bytes, tag)
        throw new IOException("the answer is lost")
      case Unavailable => throw new IOException("the store does not answer")
      case Late =>
        afterLooks(() => replace(bytes, tag))
        throw new IOException("the store does not answer")
    }

  private def replace(bytes: Array[Byte], tag: Option[String]): Unit = {
    if (content.get.map(_._2) != tag) throw new IOException("412: the condition does not hold")
    made.updateAndGet(_ :+ (tag -> LockFile.parse(bytes, path)))
    store(bytes)
  }

  private def store(bytes: Array[Byte]): Unit =
    content.set(Some(bytes -> s"tag${tags.incrementAndGet()}"))

  private def path = new Path("s3a://b/t/.hoodie/.locks/table_lock.json")
}

object FakeWrites {
  sealed trait Outcome
  case object Clean extends Outcome

  /** The request takes effect, and its answer is lost. */
  case object LostAnswer extends Outcome

  /** The request never takes effect. */
  case object Unavailable extends Outcome

  /** The request takes effect after the next look. */
  case object Late extends Outcome
}
