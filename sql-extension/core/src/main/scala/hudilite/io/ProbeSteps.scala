package hudilite.io

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays
import java.util.concurrent.{
  Callable,
  CyclicBarrier,
  ExecutionException,
  ExecutorService,
  Executors,
  Future,
  TimeUnit
}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.{Path, PathIOException}

/** Step of a check of a storage.
  * @param name for reports
  * @param run  returns what was found, or throws what is wrong */
private[io] final case class ProbeStep(name: String, run: () => String)

/** Steps of a check that a storage keeps a name for the first that creates it. [[StoreProbe]] runs
  * those [[inTurn]], [[LocationCheck]] also the [[race]]. Their files are in a folder of their own,
  * which listings omit and the caller deletes.
  * @param storage storage to check
  * @param root    path of a table there */
private[io] final class ProbeSteps(storage: => Storage, root: => Path) {
  import ProbeSteps._

  /** Folder of the files. */
  lazy val folder: Path = Storage.temporary(Storage.resolve(root, "probe"))
  private lazy val file = Storage.resolve(folder, "probe")
  private lazy val scheme = root.toUri.getScheme
  private val (first, second) = (bytes("first"), bytes("second"))

  /** Steps with one request after another, which find every store that ignores the condition of a
    * write. Each needs those before it. */
  val inTurn: Seq[ProbeStep] = Seq(
    ProbeStep("create", () => create()),
    ProbeStep("create_twice", () => createTwice()),
    ProbeStep("read", () => read()),
    ProbeStep("list", () => list()),
    ProbeStep("create_again", () => createAgain())
  )

  /** Step with requests at the same time, which finds a store that looks for a file before it
    * creates one. */
  val race: ProbeStep = ProbeStep("race", () => compete())

  /** The answer of a request that took effect may be lost: then the content tells. */
  private def create(): String = {
    if (!isCreated(file, first) && !holds(file, first)) throw overwriting
    "a file was created"
  }

  private def createTwice(): String = {
    if (isCreated(file, second)) throw overwriting
    "a second file of the same name was refused"
  }

  private def read(): String = {
    if (!holds(file, first)) throw overwriting
    "the file has the content of the first"
  }

  private def list(): String = {
    if (!storage.names(folder).contains(file.getName)) throw Storage.stale(file)
    "the file is listed"
  }

  private def createAgain(): String = {
    storage.deleteAll(Seq(file))(identity): Unit
    if (!isFreeAgain) throw UnsafeStore.remembering(scheme).error
    "the file was deleted, and its name was free again"
  }

  private def isFreeAgain: Boolean =
    try isCreated(file, second)
    catch { case e: PathIOException if isConditionUnmet(e) => false }

  private def compete(): String = {
    val pool = Executors.newFixedThreadPool(racers)
    try {
      val wrong = (1 to races).count(n => !hasOneWinner(pool, Storage.resolve(folder, s"race$n")))
      if (wrong > 0) throw UnsafeStore.racing(scheme, races, wrong, racers, fix).error
    } finally {
      pool.shutdown()
      pool.awaitTermination(1L, TimeUnit.MINUTES): Unit // an interrupted thread ends its call
    }
    s"$racers threads created $races files at the same time: each has one winner and its content"
  }

  private def hasOneWinner(pool: ExecutorService, path: Path): Boolean = {
    val start = new CyclicBarrier(racers)
    val tries = (1 to racers).map { racer =>
      new Callable[Boolean] {
        override def call(): Boolean = {
          start.await(): Unit
          isCreated(path, bytes(s"$racer"))
        }
      }
    }
    val won = pool.invokeAll(tries.asJava).asScala.map(answer).toSeq
    won.count(identity) == 1 && holds(path, bytes(s"${won.indexOf(true) + 1}"))
  }

  private def answer(tried: Future[Boolean]): Boolean =
    try tried.get
    catch { case e: ExecutionException => throw e.getCause }

  /** Nothing depends on the files of the check, so a fault of the store is thrown as it is. */
  private def isCreated(path: Path, content: Array[Byte]): Boolean =
    try storage.createUnchecked(path, content)
    catch { case e: UnknownOutcomeException => throw e.getCause }

  private def holds(path: Path, content: Array[Byte]): Boolean =
    Arrays.equals(storage.read(path), content)

  private def overwriting = UnsafeStore.overwriting(scheme, fix).error

  private def fix = storage.guarantee.fix
}

private[io] object ProbeSteps {
  private val races = 10
  private val racers = 4

  /** Whether the store answered that the condition of a write does not hold (status 412 of S3). */
  private def isConditionUnmet(e: PathIOException): Boolean =
    e.getClass.getSimpleName == "RemoteFileChangedException"

  private def bytes(text: String): Array[Byte] = text.getBytes(UTF_8)
}
