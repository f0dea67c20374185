package hudilite.spark.stream

import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.json.JsonMapper
import org.apache.spark.sql.connector.read.streaming.{Offset => AnyOffset}
import org.apache.spark.sql.execution.streaming.Offset

/** Position of a stream in a table: the last commit whose changes it has returned, in the order of
  * commit numbers.
  * @param table   uuid of the table
  * @param instant instant of the commit, "" before the first one */
final class CommitOffset(val table: String, val instant: String) extends Offset {
  override val json: String = s"""{"table":"$table","instant":"$instant"}"""
}

object CommitOffset {

  /** Reads an offset, also in the form in which a checkpoint stores it. */
  def of(offset: AnyOffset): CommitOffset = offset match {
    case known: CommitOffset => known
    case stored =>
      try {
        val root = new JsonMapper().readTree(stored.json)
        new CommitOffset(root.required("table").asText, root.required("instant").asText)
      } catch {
        case NonFatal(e) =>
          throw new IllegalStateException(s"INTERNAL: ${stored.json} is no offset", e)
      }
  }
}
