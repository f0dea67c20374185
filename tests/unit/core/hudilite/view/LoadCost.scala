package hudilite.view

import java.lang.reflect.{InvocationTargetException, Method, Proxy}
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}

import scala.collection.mutable.ListBuffer
import scala.sys.process.{Process, ProcessLogger}

import org.apache.hadoop.fs.Path

import hudilite.io.{LocalStorage, Storage}
import hudilite.timeline.TimelineFiles

/** Storage calls of a load of a table, with the entries of its listings and the bytes of the files
  * that it reads. */
final case class LoadCost(calls: Int, entries: Long, bytes: Long)

/** Loads tables of [[LongHistory]] and counts what that costs. As a program it loads one table, in a
  * JVM that has loaded nothing before. */
object LoadCost {

  /** A load, with the base files that it shows. */
  final case class Load(cost: LoadCost, slices: Seq[String])

  /** Loads the table at a path in this process. */
  def of(base: Path): Load = {
    val counted = new Counted
    val files = TimelineFiles.of(counted.storage, base)
    val slices = TableSnapshot.load(files, files.config()).slices(TestTable.partition)
    Load(counted.cost, slices.map(s => s"${s.fileId} ${s.fileName} ${s.length}"))
  }

  /** Loads the tables at some paths, each in a JVM of its own, all at the same time. */
  def inOwnProcesses(bases: Seq[Path]): Seq[Load] = bases.map(begun).map(_())

  /** Prints the cost, then a line for each base file. */
  def main(arguments: Array[String]): Unit = {
    val Load(cost, slices) = of(new Path(arguments(0)))
    println((s"${cost.calls} ${cost.entries} ${cost.bytes}" +: slices).mkString("\n"))
  }

  /** Starts a process; the result waits for it. */
  private def begun(base: Path): () => Load = {
    val java =
      Seq(s"${sys.props("java.home")}/bin/java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
    val command = java ++
      Seq("-Xmx512m", "-cp", sys.props("java.class.path"), "hudilite.view.LoadCost", base.toString)
    val (out, err) = (new ListBuffer[String], new ListBuffer[String])
    val process =
      Process(command).run(ProcessLogger(out.append(_): Unit, err.append(_): Unit))
    () => {
      assert(process.exitValue() == 0, err.mkString("\n"))
      val counts = out.head.split(' ').map(_.toLong)
      Load(LoadCost(counts(0).toInt, counts(1), counts(2)), out.toSeq.drop(1))
    }
  }

  /** Local storage that counts. */
  final class Counted {
    private val calls = new AtomicInteger
    private val entries = new AtomicLong
    private val bytes = new AtomicLong

    /** Parts of the names of methods that call no storage; the second is in those of default arguments. */
    private val facts = Seq("longListing", "$default$")

    def cost: LoadCost = LoadCost(calls.get, entries.get, bytes.get)

    val storage: Storage = Proxy.newProxyInstance(
      getClass.getClassLoader,
      Array(classOf[Storage]),
      (_: Object, method: Method, arguments: Array[Object]) => {
        val answer = called(method, Option(arguments).getOrElse(Array.empty[Object]))
        if (facts.exists(method.getName.contains(_))) answer else count(answer)
      }
    ).asInstanceOf[Storage]

    private def called(method: Method, arguments: Array[Object]): Object =
      try method.invoke(LocalStorage, arguments: _*)
      catch { case e: InvocationTargetException => throw e.getCause }

    private def count(answer: Object): Object = {
      calls.incrementAndGet(): Unit
      answer match {
        case found: Seq[_] => entries.addAndGet(found.size.toLong): Unit
        case read: Array[Byte] => bytes.addAndGet(read.length.toLong): Unit
        case _ => ()
      }
      answer
    }
  }
}
