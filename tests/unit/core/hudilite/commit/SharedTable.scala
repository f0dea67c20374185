package hudilite.commit

import java.util.concurrent.atomic.AtomicLong

import org.apache.hadoop.fs.Path

import hudilite.format.BaseFileName
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.lock.{FakeWrites, Heartbeats, LockWait, StockLock, StockWriters}
import hudilite.timeline.{StockCommits, TimelineFiles}
import hudilite.view.{PartitionMetafile, TestTable}

/** Table that stock Hudi writes at the same time, and what its writers leave there.
  * @param storage used by the table's own code */
final class SharedTable(base: Path, storage: Storage = LocalStorage) {
  MetadataFolders.set(base, "hudilite.stock.lock" -> "storage")

  /** Object of the lock. */
  val writes = new FakeWrites

  /** Milliseconds by which the clock is ahead. */
  val late = new AtomicLong
  private val clock = () => System.currentTimeMillis + late.get
  val table: TestTable = opened(storage)

  /** The same table under the same lock, in another process. */
  def opened(by: Storage): TestTable =
    new TestTable(base, by, clock = clock, isWatched = true, stock = stock)

  private def stock(files: TimelineFiles): StockWriters = {
    val waiting = LockWait(1L, millis => late.addAndGet(millis): Unit)
    val lock = new StockLock(files, "t", writes, waiting, clock)
    new StockWriters.Present(lock, new Heartbeats(files, clock), waiting)
  }

  /** Whether somebody holds the lock. */
  def isLocked: Boolean = writes.now.exists(!_.expired)

  def plant(name: String, content: String = ""): Unit =
    TempFolder.write(Storage.resolve(base, s".hoodie/$name"), content)

  def removes(name: String): Unit =
    assert(LocalStorage.delete(Storage.resolve(base, s".hoodie/$name")))

  /** A write of stock Hudi that has begun and has not looked at the table. */
  def starts(time: String): Unit = {
    plant(s".heartbeat/$time")
    plant(s"timeline/$time.commit.requested")
  }

  /** A commit of stock Hudi to a bucket. */
  def commits(time: String, completed: String, bucket: Int): Unit = {
    val id = f"$bucket%08d-aaaa-bbbb-cccc-dddddddddddd-0"
    val path = s"p=a/${BaseFileName(id, "1-1-1", time).text}"
    PartitionMetafile.write(LocalStorage, base, "p=a", time, 1)
    TempFolder.write(Storage.resolve(base, path), "stock")
    val stat = TestTable.stat(id, path, None, 5L)
    val file = Storage.resolve(base, s".hoodie/timeline/${time}_$completed.commit")
    LocalStorage.createNew(file, StockCommits.file(TestTable.metadata(Seq(stat)))): Unit
  }

  def beats: Set[String] =
    TempFolder.names(Storage.resolve(base, ".hoodie/.heartbeat")).toSet
}
