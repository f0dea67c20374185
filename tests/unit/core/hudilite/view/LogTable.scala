package hudilite.view

import java.time.ZoneOffset

import org.apache.hadoop.fs.Path

import hudilite.format.{BlockBytes, LogFileName, TableConfig, TableVersion}
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.timeline.{Instant, InstantTime, Timeline, TimelineFiles, WriteStat}

/** Merge-on-read tables whose log files have blocks without rows. Their base files hold plain text. */
object LogTable {
  private val token = "0-1-0"

  /** Log file that a deltacommit wrote.
    * @param place path relative to the table */
  final case class Written(instant: String, place: String)

  /** Runs a test with a table of version 6 and with one of version 9. */
  def each(test: TestTable => Unit): Unit = {
    use(TableVersion.Six)(test)
    use(TableVersion.Nine)(test)
  }

  /** Runs a test with an empty table. */
  def use[A](version: TableVersion)(test: TestTable => A): A = TempFolder.use { dir =>
    val base = Storage.resolve(dir, "t")
    val files = TimelineFiles.ofNewTable(LocalStorage, base, version)
    val facts = if (version == TableVersion.Six) TestTable.facts else TestTable.facts9
    LocalStorage.createNew(
      files.properties,
      TableConfig.render(TableConfig(facts.properties + ("hoodie.table.type" -> "MERGE_ON_READ")))
    )
    test(new TestTable(base))
  }

  /** Commits a new log file for a bucket that has a base file, as stock Hudi does.
    * @param blocks returns its blocks from the instant of the commit */
  def append(table: TestTable, bucket: Int)(
      blocks: String => Seq[Array[Byte]] = time => Seq(BlockBytes.data(time, 1))
  ): Written = {
    val instant = table.log.begin(table.snapshot.base, Instant.deltaCommit).instant
    val slice = sliceOf(table, bucket)
    val place = put(table, nextName(table, bucket, instant), blocks(instant): _*)
    val length = LocalStorage.status(at(table, place)).fold(0L)(_.length)
    complete(table, instant, TestTable.stat(slice.fileId, place, Some(slice), length))
    Written(instant, place)
  }

  /** Commits the log file of a deltacommit that has begun before. */
  def complete(table: TestTable, instant: String, stat: WriteStat): Unit = {
    val last = Timeline.named(table.files).lastCompletion
    val completion =
      InstantTime.next(System.currentTimeMillis, ZoneOffset.UTC, (last ++ Some(instant)).maxOption)
    table.files.layout.completed(instant, Instant.deltaCommit, Some(completion)).foreach { done =>
      val json = TestTable.metadata(Seq(stat)).toJson
      table.files.create(done,
        table.files.codec.encodeCommit(json, done.action, table.files.path(done)))
    }
  }

  /** Begins a deltacommit as a writer of stock Hudi does, which dies before it commits. */
  def begin(table: TestTable, instant: String): Unit =
    Seq(Instant.Requested, Instant.Inflight).foreach { state =>
      table.files.create(Instant(instant, Instant.deltaCommit, state))
    }

  /** Returns the name of the next log file of a bucket. */
  def nextName(table: TestTable, bucket: Int, instant: String): String = {
    val slice = sliceOf(table, bucket)
    val last = slice.logs.map(_.name.version).maxOption.getOrElse(0)
    (if (table.config.version == TableVersion.Six)
       LogFileName(slice.fileId, slice.instant, last + 1, token)
     else LogFileName(slice.fileId, instant, 1, token)).text
  }

  /** Creates a log file.
    * @return its path relative to the table */
  def put(table: TestTable, name: String, blocks: Array[Byte]*): String = {
    val place = s"${table.partition}/$name"
    LocalStorage.createNew(at(table, place), blocks.toArray.flatten): Unit
    place
  }

  def at(table: TestTable, place: String): Path = Storage.resolve(table.base, place)

  /** Returns the paths of the table's log files, relative to it. */
  def logs(table: TestTable): Set[String] = TempFolder.names(at(table, table.partition))
    .filter(LogFileName.parse(_).nonEmpty).map(name => s"${table.partition}/$name")

  def sliceOf(table: TestTable, bucket: Int): FileSlice =
    TestTable.slice(table.snapshot, table.partition, bucket)
      .getOrElse(throw new IllegalStateException(s"bucket $bucket has no file slice"))
}
