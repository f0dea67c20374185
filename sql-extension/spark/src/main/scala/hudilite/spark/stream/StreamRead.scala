package hudilite.spark.stream

import java.util.Locale

import org.apache.spark.sql.AnalysisException

import hudilite.error.Suggestion
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.read.{HudiliteScanBuilder, PeerOptions}
import hudilite.timeline.Instant

/** Options of `readStream`.
  * @param path       location of the table
  * @param start      where a stream without a checkpoint begins
  * @param withKinds whether it returns each change with its kind; false: the rows after the
  *                   changes
  * @param maxCommits most commits that one batch reads, 1 or more; the first batch of a stream from
  *                   the earliest commit reads all rows of the table instead */
final case class StreamRead(
    path: String,
    start: StreamStart,
    withKinds: Boolean,
    maxCommits: Option[Int]
)

object StreamRead {
  private val start = "hoodie.datasource.streaming.startOffset"
  private val format = PeerOptions.incrementalFormat
  private val commits = "maxCommitsPerTrigger"
  private val known = Seq(start, format, commits)

  /** Parses the options.
    * @param options names in any case
    * Errors: HUDILITE_PROPERTY_UNSUPPORTED for an unknown option or an invalid value. */
  def of(options: Map[String, String]): StreamRead = {
    val values = options.map { case (key, text) => lower(key) -> text.trim }
    options.keys.toSeq.sorted.find(key => !(known :+ "path").exists(_.equalsIgnoreCase(key)))
      .foreach(key => throw unsupported(key, whyNot(key, options(key).trim)))
    StreamRead(
      values.getOrElse("path", ""),
      values.get(lower(start)).fold[StreamStart](StreamStart.Earliest)(startOf),
      values.get(lower(format)).exists(hasKinds),
      values.get(lower(commits)).map { text =>
        text.toIntOption.filter(_ > 0).getOrElse(
          throw unsupported(commits, s"Write a number that is at least 1 instead of '$text'.")
        )
      }
    )
  }

  private def startOf(text: String): StreamStart = lower(text) match {
    case "earliest" => StreamStart.Earliest
    case "latest" => StreamStart.Latest
    case instant if Instant.isTime(instant) => StreamStart.After(instant)
    case _ => throw unsupported(start, s"Write earliest, latest or an instant instead of '$text'.")
  }

  private def hasKinds(text: String): Boolean = lower(text) match {
    case "cdc" => true
    case "latest_state" => false
    case _ => throw unsupported(format, s"Write latest_state or cdc instead of '$text'.")
  }

  private def whyNot(key: String, value: String): String =
    PeerOptions.ofStream(key, value, start, commits).getOrElse(other(key))

  private def other(key: String): String =
    if (HudiliteScanBuilder.travels.exists(_.equalsIgnoreCase(key)) || lower(key).contains("begin"))
      s"Set $start to earliest, latest or an instant instead."
    else if (key.equalsIgnoreCase(HudiliteScanBuilder.queryType))
      "Remove it: a stream returns the changes of commits."
    else Suggestion.of(key, known)

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)

  private[stream] def unsupported(key: String, fix: String): AnalysisException =
    AnalysisErrors.of("HUDILITE_PROPERTY_UNSUPPORTED", "key" -> key, "fix" -> fix)
}
