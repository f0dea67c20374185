package hudilite.io

import scala.util.control.NonFatal

/** Resources that somebody else closes, unless their making fails. */
object Closing {

  /** Closes a resource where what follows fails; otherwise it stays open. */
  def onFailure[T](resource: AutoCloseable)(body: => T): T =
    try body
    catch {
      case NonFatal(e) =>
        resource.close()
        throw e
    }
}
