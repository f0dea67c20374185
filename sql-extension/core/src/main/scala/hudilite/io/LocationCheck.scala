package hudilite.io

import java.io.IOException

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import hudilite.error.{Conditions, HudiliteException}

/** Check of a location before a table is there: whether hudilite writes to its storage, and whether
  * the storage keeps a name for the first that creates it, also under contention. It deletes what
  * it has created. A fault of the storage is a result and never thrown.
  * @param location folder that exists or not
  * @param conf     Hadoop's settings
  * @param nanos    clock, in nanoseconds */
final class LocationCheck(location: Path, conf: Configuration, nanos: () => Long) {
  import LocationCheck._

  private lazy val root = {
    val full = Storage.qualified(location, conf)
    val uri = full.toUri
    if (uri.getPath.isEmpty) new Path(uri.getScheme, uri.getAuthority, Path.SEPARATOR) else full
  }
  private lazy val storage = Storage.of(root, conf)

  /** The location and the folders above it that are not there, the lowest first. */
  private lazy val absent =
    Iterator.unfold(Option(root))(_.map(path => path -> Option(path.getParent)))
      .takeWhile(!isThere(_)).toVector

  private val probe = new ProbeSteps(storage, root)

  /** Runs the steps. A step after one that failed is skipped. */
  def results(): Seq[CheckedStep] = {
    val steps = Seq(ProbeStep("storage", () => choose()), ProbeStep(reached, () => reach())) ++
      probe.inTurn :+ probe.race
    val done =
      try steps.foldLeft(Vector.empty[CheckedStep])((before, step) => before :+ next(before, step))
      catch {
        case interrupted: InterruptedException =>
          Try(clean()): Unit
          throw interrupted
      }
    val end = ProbeStep("delete", () => clean())
    val isReached = done.exists(step => step.name == reached && step.outcome == ok)
    done :+ (if (isReached) run(end) else skip(end, "nothing was created"))
  }

  private def next(before: Seq[CheckedStep], step: ProbeStep): CheckedStep =
    if (before.exists(_.outcome == failed)) skip(step, "an earlier step failed")
    else if (step eq probe.race) storage.warning.fold(run(step))(skip(step, _))
    else run(step)

  private def run(step: ProbeStep): CheckedStep = {
    val began = nanos()
    val (outcome, detail) =
      try (ok, step.run())
      catch { case fault @ (NonFatal(_) | _: LinkageError) => (failed, describe(fault)) }
    CheckedStep(step.name, outcome, Some((nanos() - began) / nanosPerMilli), detail)
  }

  private def skip(step: ProbeStep, why: String) = CheckedStep(step.name, skipped, None, why)

  private def choose(): String = s"${root.toUri.getScheme}: ${storage.guarantee.how}"

  /** A connector may try for minutes to reach a store. */
  private def reach(): String = {
    val isFree = StoreCall.until(StoreCall.limit(conf).fromNow)(absent.nonEmpty)
    if (isFree) "the location does not exist yet"
    else if (storage.status(root).forall(_.isDirectory)) "the location exists"
    else
      throw Storage.unusable(root, "it is a file", "Write the path of a folder.",
        HudiliteException.noCause)
  }

  private def clean(): String = {
    if (isThere(probe.folder)) storage.deleteTree(probe.folder): Unit
    absent.filter(isThere).foreach(storage.deleteEmpty)
    if (isThere(probe.folder)) throw new IOException(s"${probe.folder} is still there")
    "nothing is left of the check"
  }

  private def isThere(path: Path): Boolean = storage.status(path).nonEmpty
}

/** Result of a step of [[LocationCheck]].
  * @param name    name of the step
  * @param outcome ok, failed or skipped
  * @param millis  duration in milliseconds; None for a step that did not run
  * @param detail  what was found; of a failed step, what is wrong and what to do */
final case class CheckedStep(name: String, outcome: String, millis: Option[Long], detail: String)

object LocationCheck {
  private val ok = "ok"
  private val failed = "failed"
  private val skipped = "skipped"
  private val reached = "reach"
  private val nanosPerMilli = 1000000L

  /** Returns one line on a fault: what is wrong, and what to do. */
  private def describe(fault: Throwable): String = {
    val known = HudiliteException.find(StorageFault.explain(fault))
    known.fold(s"${inner(fault)}. ${remedy(fault)}")(e =>
      Conditions.message(e.condition, e.parameters)
    )
  }

  private def remedy(fault: Throwable): String =
    if (HudiliteException.causes(fault).exists(isOfClassPath))
      "Add the jar with this class to spark.jars, or correct the setting that names it."
    else "Check the location, and the address and the settings of its storage."

  private def isOfClassPath(fault: Throwable): Boolean = fault match {
    case _: ClassNotFoundException | _: LinkageError => true
    case _ => false
  }

  private def inner(fault: Throwable): String =
    s"${fault.getClass.getSimpleName}: ${StorageFault.detail(fault)}"
}
