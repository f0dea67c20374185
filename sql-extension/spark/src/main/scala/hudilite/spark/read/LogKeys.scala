package hudilite.spark.read

import com.google.common.cache.{Cache, CacheBuilder, Weigher}
import org.apache.spark.sql.types.{DataType, IntegerType, StringType, StructType}
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String

import hudilite.view.LogFile

/** Record keys of the rows and deletions in a log file.
  * @param arePlain whether its blocks are data or deletions of commits and change nothing else; otherwise
  *                 there are no hashes
  * @param instants instants of its blocks, without repetition
  * @param hashes   hashes of the keys, ascending */
private[read] final case class LogKeys(
    arePlain: Boolean,
    instants: Seq[String],
    hashes: Array[Int]
) {

  /** Whether there may be a key with this hash. */
  def mayHave(hash: Int): Boolean = java.util.Arrays.binarySearch(hashes, hash) >= 0
}

private[read] object LogKeys {

  /** Most bytes of keys that this JVM keeps. */
  private final val mostBytes = 64L << 20

  /** Bytes of an entry besides those of its hashes, roughly. */
  private final val otherBytes = 512

  /** Identity of a log file's keys: a file of the same name that another writer made later has another
    * time, and in most object stores another tag.
    * @param column column with the keys
    * @param parts  key columns whose types the blocks must have, see [[LogLookUp]] */
  private final case class Id(
      path: String,
      length: Long,
      modifiedMillis: Long,
      etag: Option[String],
      column: String,
      of: DataType,
      parts: StructType
  )

  private val weigher: Weigher[Id, LogKeys] =
    (_: Id, keys: LogKeys) => otherBytes + Integer.BYTES * keys.hashes.length

  private val files: Cache[Id, LogKeys] =
    CacheBuilder.newBuilder().concurrencyLevel(1).maximumWeight(mostBytes).weigher(weigher).build()

  /** Keys of a log file with blocks that change what others mean. */
  val notPlain: LogKeys = LogKeys(arePlain = false, Nil, Array.emptyIntArray)

  /** Returns the keys of a log file, which stay in this JVM.
    * @param read reads them; None if they depend on the state of the table: they are not kept then */
  def known(log: LogFile, lookUp: LogLookUp)(read: => Option[LogKeys]): Option[LogKeys] = {
    import lookUp.{column, of, parts}
    val id = Id(log.path.toString, log.length, log.modifiedMillis, log.etag, column, of, parts)
    Option(files.getIfPresent(id)).orElse {
      val keys = read
      keys.foreach(files.put(id, _))
      keys
    }
  }

  /** Returns the hash of a key: a value of a column, as Spark represents it. */
  def hash(key: Any): Int = key match {
    case text: UTF8String => text.hashCode
    case int: Int => java.lang.Long.hashCode(int.toLong)
    case long: Long => java.lang.Long.hashCode(long)
    case other => throw new IllegalStateException(s"INTERNAL: $other is no key of log files")
  }

  /** Returns the hash of the key in a row.
    * @param of type of the column: STRING, INT or BIGINT */
  def hash(keys: ColumnVector, of: DataType, row: Int): Int = of match {
    case StringType => hash(keys.getUTF8String(row))
    case IntegerType => hash(keys.getInt(row))
    case _ => hash(keys.getLong(row))
  }

  /** Returns the hash of the key with this text; None if no row can have it.
    * @param of type of the column: STRING, INT or BIGINT */
  def hash(text: String, of: DataType): Option[Int] = of match {
    case StringType => Some(hash(UTF8String.fromString(text)))
    case _ => text.toLongOption.filter(_.toString == text).map(hash(_))
  }
}
