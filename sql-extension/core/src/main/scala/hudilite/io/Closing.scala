package hudilite.io

import scala.util.control.NonFatal

/** Closing of a resource if the code that sets it up fails. */
object Closing {

  /** Runs `body`, and closes the resource if it fails; otherwise the resource stays open. */
  def onFailure[T](resource: AutoCloseable)(body: => T): T =
    try body
    catch {
      case NonFatal(e) =>
        resource.close()
        throw e
    }
}
