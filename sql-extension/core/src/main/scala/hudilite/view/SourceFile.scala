package hudilite.view

import org.apache.hadoop.fs.Path

/** A file that a table was bootstrapped from, as it was then.
  * @param path     full path, with its scheme
  * @param length   size in bytes
  * @param modified last change, milliseconds since 1970 */
final case class SourceFile(path: Path, length: Long, modified: Long)
