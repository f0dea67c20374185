package hudilite.view

import java.nio.charset.StandardCharsets.UTF_8
import java.time.{ZoneId, ZoneOffset}
import java.util.concurrent.atomic.AtomicLong

import scala.util.Try

import org.apache.hadoop.fs.Path

import hudilite.commit.{CommitLog, CommitResult, DetachMetadata, Transaction}
import hudilite.format.{BaseFileName, FileId, IndexKind, TableConfig, TableVersion}
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.lock.StockWriters
import hudilite.timeline.{CommitMetadata, FileGroupRef, Markers, TimelineFiles, WriteStat}

/** A bucket table whose base files hold plain text instead of Parquet.
  * @param storage   used by the table's own code; looking at the result goes past it
  * @param isWatched whether writes look for a metadata table
  * @param stock     what writes do because stock Hudi's writers may be at work */
final class TestTable(
    val base: Path,
    val storage: Storage = LocalStorage,
    clock: () => Long = () => System.currentTimeMillis,
    val zone: ZoneId = ZoneOffset.UTC,
    isWatched: Boolean = false,
    stock: TimelineFiles => StockWriters = _ => StockWriters.Absent
) {
  private val tokens = new AtomicLong
  val files: TimelineFiles = TimelineFiles.of(storage, base)
  val log: CommitLog = TestTable.logOf(files, "t", zone, clock, isWatched, stock(files))

  /** Facts as stored; creates the table at first. */
  def config: TableConfig = {
    val file = files.properties
    if (storage.status(file).isEmpty) storage.createNew(file, TableConfig.render(TestTable.facts))
    files.config()
  }

  def snapshot: TableSnapshot = TableSnapshot.load(files, config)

  def partition: String = TestTable.partition

  /** Starts a write of the given buckets and writes their files.
    * @param change new content of a bucket from its old one, "" at first */
  def start(snapshot: TableSnapshot, buckets: Seq[Int])(change: String => String): Started = {
    val transaction = log.begin(snapshot.base)
    PartitionMetafile.write(storage, base, partition, transaction.instant, 1)
    val stats = buckets.map { bucket =>
      val old = TestTable.slice(snapshot, partition, bucket)
      val rows = change(old.fold("")(s => new String(storage.read(s.path), UTF_8)))
      write(transaction.instant, snapshot, bucket, old, rows)
    }
    Started(transaction, stats, buckets.map(FileGroupRef.bucket(partition, _)).toSet)
  }

  /** One whole write from the latest snapshot. */
  def merge(buckets: Int*)(change: String => String): CommitResult =
    start(snapshot, buckets)(change).commit()

  /** Contents of the non-empty buckets. */
  def rows(of: TableSnapshot = snapshot): Map[Int, String] = of
    .slices(partition)
    .map { slice =>
      FileId.bucketOf(slice.fileId).getOrElse(-1) -> TempFolder.text(slice.path)
    }
    .toMap

  private def write(
      instant: String,
      snapshot: TableSnapshot,
      bucket: Int,
      old: Option[FileSlice],
      rows: String
  ): WriteStat = {
    val epoch = snapshot.view.epoch(partition, bucket)
    val fileId = old.fold(FileId.bucket(snapshot.config.uuid, partition, bucket, epoch))(_.fileId)
    val name = BaseFileName(fileId, s"${tokens.incrementAndGet()}-0-1", instant).text
    val kind = if (old.isEmpty) Markers.Create else Markers.Merge
    Markers.create(files, instant, partition, name, kind)
    val path = s"$partition/$name"
    storage.createNew(Storage.resolve(base, path), rows.getBytes(UTF_8))
    TestTable.stat(fileId, path, old, rows.length.toLong)
  }
}

/** A write between begin and commit. */
final case class Started(
    transaction: Transaction,
    stats: Seq[WriteStat],
    touched: Set[FileGroupRef]
) {
  def commit(): CommitResult = transaction.commit(TestTable.metadata(stats), touched)
}

object TestTable {

  /** Returns a commit log of a table.
    * @param isWatched whether writes look for a metadata table */
  def logOf(
      files: TimelineFiles,
      name: String = "t",
      zone: ZoneId = ZoneOffset.UTC,
      clock: () => Long = () => System.currentTimeMillis,
      isWatched: Boolean = false,
      stock: StockWriters = StockWriters.Absent
  ): CommitLog = {
    val detach = new DetachMetadata(files, name, isWatched, _ => (), stock.arePresent)
    new CommitLog(files, name, zone, clock, detach, stock, isMergeOnRead(files.basePath))
  }

  private def isMergeOnRead(base: Path): Boolean =
    Try(TimelineFiles.of(LocalStorage, base).config().isMergeOnRead).getOrElse(false)

  /** Creates an empty table of version 9. */
  def ofVersion9(
      base: Path,
      storage: Storage = LocalStorage,
      clock: () => Long = () => System.currentTimeMillis,
      zone: ZoneId = ZoneOffset.UTC
  ): TestTable = {
    val files = TimelineFiles.ofNewTable(LocalStorage, base, TableVersion.Nine)
    LocalStorage.createNew(files.properties, TableConfig.render(facts9))
    new TestTable(base, storage, clock, zone, isWatched = true)
  }

  def useVersion9[A](test: TestTable => A): A =
    TempFolder.use(dir => test(ofVersion9(Storage.resolve(dir, "t"))))

  val partition = "p=a"
  val schema: String =
    """{"type":"record","name":"t_record","namespace":"hoodie.t","fields":[""" +
      """{"name":"k","type":"string"},{"name":"p","type":"string"}]}"""

  val facts: TableConfig = TableConfig.forCreate(
    "t",
    None,
    Seq("k"),
    Seq("p"),
    Nil,
    schema,
    16,
    Seq("k"),
    "11111111-2222-3333-4444-555555555555"
  )

  val facts9: TableConfig = TableConfig.forCreate(
    "t",
    None,
    Seq("k"),
    Seq("p"),
    Nil,
    schema,
    IndexKind.Bucket(16, Seq("k")),
    "11111111-2222-3333-4444-555555555555",
    TableVersion.Nine
  )

  /** The latest slice of a bucket. */
  def slice(of: TableSnapshot, partition: String, bucket: Int): Option[FileSlice] =
    of.slices(partition).find(s => FileId.bucketOf(s.fileId).contains(bucket))

  def metadata(stats: Seq[WriteStat]): CommitMetadata = CommitMetadata("UPSERT", schema, stats)

  def stat(fileId: String, path: String, old: Option[FileSlice], length: Long): WriteStat =
    WriteStat(
      fileId,
      path,
      old.fold(WriteStat.noCommit)(_.instant),
      old.map(_.fileName),
      partition,
      1,
      if (old.isEmpty) 1 else 0,
      if (old.isEmpty) 0 else 1,
      0,
      length,
      length
    )

  def use[A](test: TestTable => A): A =
    TempFolder.use(dir => test(new TestTable(Storage.resolve(dir, "t"))))
}
