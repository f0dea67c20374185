package hudilite.view

import org.apache.hadoop.fs.Path

/** File with a known length. */
trait StoredFile {

  /** Full path. */
  def path: Path

  /** Size in bytes, as a listing or a bootstrap recorded it. */
  def length: Long
}
