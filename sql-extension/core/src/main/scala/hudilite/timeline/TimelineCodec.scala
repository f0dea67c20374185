package hudilite.timeline

import org.apache.avro.generic.GenericRecord
import org.apache.hadoop.fs.Path

/** Form in which a layout stores the content of an instant's files. Only a codec reads or writes
  * that content; an empty file has none. A codec has no state and is sent to tasks. */
trait TimelineCodec extends Serializable {

  /** Returns the content of the completed file of a commit or replacecommit.
    * @param json   the metadata as a numbered commit stores it, see [[CommitMetadata.toJson]]; every
    *               process that publishes the number must get the same content from it
    * @param action commit or replacecommit
    * @param path   path of the file in errors
    * Errors: HUDILITE_CORRUPT_TIMELINE if a form other than JSON is needed and the JSON is damaged. */
  def encodeCommit(json: String, action: String, path: Path): Array[Byte]

  /** Parses the content of the completed file of a commit or replacecommit. Accepts the content of
    * an inflight file, too.
    * @param bytes content of the file; unknown fields are ignored
    * @param path  path of the file in errors
    * Errors: HUDILITE_CORRUPT_TIMELINE if it is empty, truncated or changed, or has another form. */
  def decodeCommit(bytes: Array[Byte], path: Path): CommitMetadata

  /** Returns the content of the inflight file of a commit or replacecommit, which names no files.
    * @param extra entries of its extraMetadata */
  def encodeInflight(extra: Map[String, String]): Array[Byte]

  /** Returns the content of any other file: the plan or outcome of a clean, rollback, restore,
    * savepoint or replacecommit. The same record always gives the same bytes. */
  def encode(record: GenericRecord): Array[Byte]

  /** Returns the records in such a file.
    * @param path path of the file in errors
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def decode(bytes: Array[Byte], path: Path): Vector[GenericRecord]
}
