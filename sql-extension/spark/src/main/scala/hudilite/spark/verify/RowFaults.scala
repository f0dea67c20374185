package hudilite.spark.verify

import scala.collection.mutable

import hudilite.verify.Finding

/** Faults of the rows of one base or log file: for each code the first fault and the number of rows.
  * Filled in a task.
  * @param place path of the file relative to the table */
final private[verify] class RowFaults(place: String) {
  private val found = mutable.LinkedHashMap.empty[String, (Long, String, Option[String])]

  /** Adds the fault of one row.
    * @param key    record key of the row, evaluated for the first fault of a code
    * @param detail what is wrong, evaluated for the first fault of a code */
  def add(code: String, key: => Option[String])(detail: => String): Unit =
    found.updateWith(code) {
      case Some((n, first, sample)) => Some((n + 1, first, sample))
      case None => Some((1L, detail, key))
    }: Unit

  /** Returns one finding for each code. */
  def findings: Seq[Finding] = found.toSeq.map { case (code, (n, first, sample)) =>
    val rows = if (n == 1) "1 row" else s"$n rows, the first"
    Finding.error(code, place, s"$rows: $first", sample)
  }
}
