package hudilite.lock

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException
import hudilite.timeline.{Json, Timeline, TimelineLayout}

/** Content of the lock file of a table, as stock Hudi's StorageBasedLockProvider writes it.
  * @param expired    whether the owner has given the lock back
  * @param validUntil moment up to which the lock is held otherwise, milliseconds since 1970
  * @param owner      identifies who has taken the lock
  * Source: table-versions §5.3. */
private[hudilite] final case class LockFile(expired: Boolean, validUntil: Long, owner: String) {

  /** Whether nobody else may take the lock.
    * @param now milliseconds since 1970 */
  def isHeld(now: Long): Boolean = !expired && now <= validUntil + LockFile.driftMillis

  /** Returns the content with which the owner gives the lock back. */
  def released: LockFile = copy(expired = true)

  /** Returns the bytes of the file. The owner must be a uuid. */
  def bytes: Array[Byte] =
    s"""{"expired":$expired,"validUntil":$validUntil,"owner":"$owner"}""".getBytes(UTF_8)
}

private[hudilite] object LockFile {

  /** Most that the clocks of two writers may differ, as in stock Hudi. */
  private val driftMillis = 500L

  /** Returns the path of the file relative to the table. */
  def place(layout: TimelineLayout): String = s"${layout.metadata}/.locks/table_lock.json"

  /** Parses the content of the file.
    * Errors: HUDILITE_CORRUPT_TIMELINE if one of the three fields is missing. */
  def parse(bytes: Array[Byte], path: Path): LockFile =
    try parsed(bytes, path)
    catch {
      case e: HudiliteException =>
        throw new HudiliteException(e.condition, e.parameters + ("fix" -> remedy), e)
    }

  private val remedy =
    "Stop all writers of the table, delete this file, and run the statement again."

  private def parsed(bytes: Array[Byte], path: Path): LockFile = {
    val root = Json.parse(bytes, path)
    def needed[A](field: String, value: Option[A]): A =
      value.getOrElse(throw Timeline.corrupt(path, s"$field is missing"))
    LockFile(
      needed("expired", Option(root.get("expired")).filter(_.isBoolean).map(_.booleanValue)),
      needed("validUntil",
        Option(root.get("validUntil")).filter(_.canConvertToLong).map(_.longValue)),
      needed("owner", Json.text(root, "owner"))
    )
  }
}
