package hudilite.spark.stream

/** Where a stream from a table begins.
  * Source: Hudi's `hoodie.datasource.streaming.startOffset`, by its words. */
sealed trait StreamStart

object StreamStart {

  /** The rows that are there, then what commits change. */
  case object Earliest extends StreamStart

  /** What commits change after the one that is the latest when the stream begins. */
  case object Latest extends StreamStart

  /** What commits change after one.
    * @param instant of that commit */
  final case class After(instant: String) extends StreamStart
}
