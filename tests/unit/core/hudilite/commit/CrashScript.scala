package hudilite.commit

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import hudilite.io.Storage
import hudilite.view.TestTable

/** What a crash test interrupts: a new table and two writes, one of them over the other's
  * bucket. */
object CrashScript {

  /** Contents of the buckets after each step; a crash leaves one of them. */
  val states: Seq[Map[Int, String]] =
    Seq(Map.empty, Map(1 -> "a"), Map(1 -> "ab", 2 -> "b"))

  def run(table: TestTable): Unit = {
    table.merge(1)(_ + "a")
    table.merge(1, 2)(_ + "b"): Unit
  }

  /** Runs the script on a folder, in a process that a fault plan in the system properties stops. */
  def main(arguments: Array[String]): Unit = {
    val base = new Path(arguments(0))
    run(new TestTable(base, Storage.of(base, new Configuration(false))))
  }
}
