package hudilite.io

import org.apache.hadoop.fs.FileSystem

import hudilite.error.HudiliteException

/** Store to which hudilite does not write, because two writers could undo each other's commits.
  * @param scheme of its paths
  * @param reason clause that says what is wrong with it
  * @param fix    sentences that say what to do */
private[io] final case class UnsafeStore(scheme: String, reason: String, fix: String) {

  /** Returns HUDILITE_UNSAFE_STORAGE. */
  def error: HudiliteException = HudiliteException(
    "HUDILITE_UNSAFE_STORAGE",
    "scheme" -> scheme,
    "reason" -> reason,
    "fix" -> fix
  )
}

private[io] object UnsafeStore {

  /** Hadoop's setting that switches conditional writes of s3a off. */
  val conditional = "fs.s3a.create.conditional.enabled"

  private val s3a = "org.apache.hadoop.fs.s3a.S3AFileSystem"

  /** Returns why a file system is not written for which there is no [[ExclusiveCreate]]. */
  def of(files: FileSystem, scheme: String): UnsafeStore = {
    val name = files.getClass.getName
    if (!ExclusiveCreate.isA(files, s3a))
      UnsafeStore(
        scheme,
        s"hudilite knows no way to create a file only if it does not exist with its class $name",
        s"Use a location on file, hdfs, s3a, gs or abfs. ${alone(scheme)}"
      )
    else if (files.getConf.getBoolean(conditional, true))
      UnsafeStore(
        scheme,
        "hadoop-aws before 3.4.2 cannot create a file only if it does not exist",
        s"Use hadoop-aws of the version of Spark's Hadoop, 3.4.2 or later. ${alone(scheme)}"
      )
    else
      UnsafeStore(
        scheme,
        s"$conditional is false",
        s"Remove this setting if the store supports conditional writes. ${alone(scheme)}"
      )
  }

  /** Returns why a store is not written that created an existing file again.
    * @param fix of its [[CreateGuarantee]] */
  def overwriting(scheme: String, fix: String): UnsafeStore = UnsafeStore(
    scheme,
    "the store created a file that existed already, so it ignores the condition of the request",
    fix
  )

  /** Returns why a store is not written that is wrong when several threads create a file at the
    * same time.
    * @param races  number of files that they created
    * @param wrong  number of these without exactly one winner, or with another content than its
    * @param racers number of threads
    * @param fix    of its [[CreateGuarantee]] */
  def racing(scheme: String, races: Int, wrong: Int, racers: Int, fix: String): UnsafeStore =
    UnsafeStore(
      scheme,
      s"$racers threads created $races files at the same time, and $wrong of these had more than " +
        "one winner, or not the content of the winner",
      fix
    )

  /** Returns why a store cannot keep the lock of stock Hudi that replaces a changed file. */
  def untagged(scheme: String): UnsafeStore = UnsafeStore(
    scheme,
    "the store replaced a file although it had changed meanwhile, so it ignores the condition " +
      "If-Match of the request",
    "Use a store that supports it. If stock Hudi does not write at the same time, run ALTER TABLE " +
      "... UNSET TBLPROPERTIES ('hudilite.stock.lock')."
  )

  /** Returns why a store is not written that refuses a name whose file was deleted. */
  def remembering(scheme: String): UnsafeStore = UnsafeStore(
    scheme,
    "the store refuses to create a file after it was deleted",
    "Use the address of the store itself, not of a caching proxy or a replica. If the bucket keeps " +
      "versions and the server counts a deleted file as present, use a bucket without versions."
  )

  /** Returns why a store is not written whose listing lacks a file that exists. */
  def stale(scheme: String, path: String): UnsafeStore = UnsafeStore(
    scheme,
    s"its listing is out of date: it lacks $path, which exists",
    "Use the address of the store itself, not of a caching proxy or a replica."
  )

  /** Returns why a local disk is not written that has no hard links. */
  val withoutLinks: UnsafeStore = UnsafeStore(
    "file",
    "this disk has no hard links, with which hudilite creates a file only if it does not exist",
    "Use a location on a disk with hard links."
  )

  private def alone(scheme: String): String =
    "If only one writer at a time writes to each table, SET " +
      s"${SingleWriterStorage.setting} = $scheme allows such writes."
}
