package hudilite.spark.stream

/** Start of a stream from a table that has no checkpoint.
  * Source: values of Hudi's `hoodie.datasource.streaming.startOffset`. */
sealed trait StreamStart

object StreamStart {

  /** All rows of the table first, then the changes of later commits. */
  case object Earliest extends StreamStart

  /** Changes of the commits after the one that is the latest when the stream begins. */
  case object Latest extends StreamStart

  /** Changes of the commits after a given one.
    * @param instant instant of that commit */
  final case class After(instant: String) extends StreamStart
}
