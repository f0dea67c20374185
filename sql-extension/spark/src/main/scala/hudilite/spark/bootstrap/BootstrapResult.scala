package hudilite.spark.bootstrap

import scala.util.Try

/** Result of a bootstrap.
  * @param adopted   number of source files that were adopted
  * @param rewritten number of source files whose rows were rewritten
  * @param refused   number of source files that were left out
  * @param rows      rows of the files that were not left out
  * @param read      bytes of the source that were read
  * @param written   bytes of the table's folder
  * @param seconds   duration; 0 for a bootstrap that an earlier call has committed
  * @param instant   instant of the last commit */
final case class BootstrapResult(
    adopted: Int,
    rewritten: Int,
    refused: Int,
    rows: Long,
    read: Long,
    written: Long,
    seconds: Double,
    instant: String
) {
  import BootstrapResult.key

  /** Entries for the commit's `extraMetadata`, from which a later call reports a bootstrap that is
    * already committed. */
  def extraMetadata: Map[String, String] = Map(
    key("adopted") -> adopted.toString,
    key("rewritten") -> rewritten.toString,
    key("refused") -> refused.toString,
    key("rows") -> rows.toString,
    key("read") -> read.toString
  )
}

object BootstrapResult {

  /** Restores a result from a commit.
    * @param extra   `extraMetadata` of the commit
    * @param written bytes of the table's folder */
  def of(extra: Map[String, String], written: Long, instant: String): BootstrapResult = {
    def number(name: String) =
      extra.get(key(name)).flatMap(t => Try(t.toLong).toOption).getOrElse(0L)
    BootstrapResult(
      number("adopted").toInt,
      number("rewritten").toInt,
      number("refused").toInt,
      number("rows"),
      number("read"),
      written,
      0.0,
      instant
    )
  }

  private def key(name: String) = s"hudilite.bootstrap.$name"
}
