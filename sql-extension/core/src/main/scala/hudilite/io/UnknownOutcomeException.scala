package hudilite.io

import java.io.IOException

import org.apache.hadoop.fs.Path

/** A file may or may not appear under its final name: the store took the request and its answer
  * was lost. Whoever gets this deletes nothing that the file may refer to. */
final class UnknownOutcomeException(path: Path, cause: Throwable)
    extends IOException(s"The outcome of creating $path is unknown: ${cause.getMessage}", cause)
