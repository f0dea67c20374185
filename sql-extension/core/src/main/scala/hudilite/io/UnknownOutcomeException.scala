package hudilite.io

import java.io.IOException

import org.apache.hadoop.fs.Path

/** Exception for a file that may or may not appear under its final name: the request was sent to
  * the store and its answer was lost. A caller that catches it must not delete anything that the
  * file may refer to. */
final class UnknownOutcomeException(path: Path, cause: Throwable)
    extends IOException(s"The outcome of creating $path is unknown: ${cause.getMessage}", cause)
