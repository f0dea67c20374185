package hudilite.view

import java.lang.reflect.{InvocationTargetException, Proxy}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path => LocalPath, Paths}

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.commit.{CommitNumbers, CommitRecord}
import hudilite.error.HudiliteException
import hudilite.format.{BaseFileName, FileId, TableConfig}
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.timeline.{FileGroupRef, Instant, TimelineFiles}

class CheckpointSuite extends AnyFunSuite {
  import CheckpointSuite._

  test("a load costs as much after 1,000 commits and 10,000 archived ones as after 10") {
    val costs = Seq((0, 10), (0, 100), (0, 1000), (10000, 1000)).map { case (archived, active) =>
      TempFolder.use { dir =>
        val table = new History(dir, archived)
        (1 to active).foreach(_ => table.commit(): Unit)
        table.stored()
        (1 until 10).foreach(_ => table.commit(): Unit)
        (archived + active) -> table.cost()
      }
    }
    val first = costs.head._2
    costs.foreach { case (commits, cost) =>
      assert(cost.calls <= 1.2 * first.calls, s"$commits commits: $cost, ten: $first")
      assert(cost.bytes <= 2 * first.bytes, s"$commits commits: $cost, ten: $first")
      assert(cost.entries <= 3 * commits + 50 + 2 * commits, s"$commits commits: $cost")
    }
  }

  test("without a checkpoint a load reads every commit") {
    TempFolder.use { dir =>
      val table = new History(dir, 0)
      (1 to 50).foreach(_ => table.commit(): Unit)
      val before = table.cost()
      table.stored()
      assert(before.calls > table.cost().calls + 40)
    }
  }

  test("a process reads a checkpoint once") {
    TempFolder.use { dir =>
      val table = new History(dir, 0)
      (1 to 20).foreach(_ => table.commit(): Unit)
      table.stored()
      val first = table.cost()
      assert(first.bytes - table.costAgain().bytes >= Files.size(table.checkpoints.head))
      table.commit(): Unit
      table.stored()
      assert(table.slices().map(_.instant).max == table.load().lastInstant.get)
    }
  }

  test("a checkpoint is stored at every tenth commit, and the last two are kept") {
    TestTable.use { table =>
      (1 to 35).foreach { n =>
        val number = table.merge(n % 3)(_ + s"$n ").number
        Checkpoints.afterCommit(table.files, table.config, number)
      }
      assert(new CommitNumbers(table.files).found().checkpoints == Set(20L, 30L))
      assert(table.rows() == rowsOf(35))
    }
  }

  test("a checkpoint that is damaged, of another table, ahead or of another history is ignored") {
    val damages = Map[String, String => String](
      "cut" -> (_.dropRight(40)),
      "empty" -> (_ => ""),
      "changed" -> (_.replaceFirst("\"length\"|_", "x")),
      "of another table" -> resealed(_.replace(TestTable.facts.uuid, "other")),
      "of another instant" -> resealed(_.replaceFirst("\"instant\" : \"2", "\"instant\" : \"1")),
      "of another version" -> resealed(_.replaceFirst("\"version\" : 1", "\"version\" : 2"))
    )
    damages.foreach { case (name, damage) =>
      TempFolder.use { dir =>
        val table = new History(dir, 0)
        (1 to 12).foreach(_ => table.commit(): Unit)
        val expected = table.slices()
        table.stored()
        assert(table.slices() == expected)
        val file = table.checkpoints.head
        Files.writeString(file, damage(Files.readString(file)))
        assert(table.slices() == expected, name)
        assert(table.cost().calls > 12, s"$name: the commits are read")
      }
    }
    TempFolder.use { dir =>
      val table = new History(dir, 0)
      (1 to 12).foreach(_ => table.commit(): Unit)
      table.stored()
      val file = table.checkpoints.head
      Files.move(file, file.resolveSibling(f"${99}%020d.checkpoint"))
      assert(table.slices().size == buckets, "ahead of the numbers")
    }
  }

  test("a file group is shown again when the replacecommit that a checkpoint covers is undone") {
    TempFolder.use { dir =>
      val table = new History(dir, 0)
      (1 to 11).foreach(_ => table.commit(): Unit)
      val before = table.slices()
      val replacing = table.replace(table.slices().head)
      assert(table.slices().size == buckets - 1)
      table.stored()
      assert(table.slices().size == buckets - 1)
      table.undo(replacing)
      assert(table.slices() == before)
      table.checkpoints.foreach(Files.delete)
      assert(table.slices() == before)
    }
  }

  test("a file is missed that became the latest again when a commit was undone") {
    TempFolder.use { dir =>
      val table = new History(dir, 0)
      val commits = (1 to 12).map(_ => table.commit())
      table.stored()
      table.undo(commits.last)
      val older = table.slices().find(_.instant == commits(11 - buckets).time).get
      table.delete(older)
      val fault = intercept[HudiliteException](table.slices())
      assert(fault.condition == "HUDILITE_MISSING_DATA_FILE")
    }
  }

  test("a commit that was changed since is read again") {
    TempFolder.use { dir =>
      val table = new History(dir, 0)
      val commits = (1 to 12).map(_ => table.commit())
      table.stored()
      assert(table.cost().calls < 12)
      table.change(commits(3))
      assert(table.cost().calls > 12)
      assert(table.slices().size == buckets)
    }
  }

  test("an aborted instant before the first active one stays uncommitted") {
    TempFolder.use { dir =>
      val table = new History(dir, 0)
      val lost = table.aborted()
      (1 to 11).foreach(_ => table.commit(): Unit)
      val plain = table.load().view.isCommitted(lost)
      table.stored()
      assert(!plain && !table.load().view.isCommitted(lost))
    }
  }

  private def rowsOf(commits: Int): Map[Int, String] =
    (1 to commits).groupBy(_ % 3).map { case (bucket, ns) =>
      bucket -> ns.map(n => s"$n ").mkString
    }
}

private object CheckpointSuite {
  val buckets = 4

  /** Storage calls of a load, with the entries of its listings and the bytes of the files read. */
  final case class Cost(calls: Int, entries: Long, bytes: Long)

  /** A change of a checkpoint's text that keeps its checksum right. */
  def resealed(change: String => String)(text: String): String = {
    val blank = text.replaceFirst("(\"hudilite.checksum\" : \")[0-9a-f]{8}", "$100000000")
    hudilite.timeline.CommitChecksum.put(change(blank))
  }

  /** A table whose timeline is written directly, so that long histories take little time.
    * @param archived number of commits that have a number but no file on the timeline */
  final class History(dir: Path, archived: Int) {
    private val base = Storage.resolve(dir, "t")
    private var files = TimelineFiles.of(LocalStorage, base)
    private val numbers = folder(files.layout.commits)
    private val timeline = folder(files.layout.timeline)
    private val partition = folder(TestTable.partition)
    private var number = 0
    private var copies = 0
    Files.write(local(files.layout.properties), TableConfig.render(TestTable.facts))
    LocalStorage.createNew(
      Storage.resolve(base, s"${TestTable.partition}/.hoodie_partition_metadata"),
      "commitTime=1\npartitionDepth=1\n".getBytes(UTF_8)
    )
    (1 to archived).foreach(_ => numbered(CommitRecord.Commit, Instant.commit, "{}"))

    def commit(): Instant = {
      val at = instant(number + 1)
      val id = FileId.bucket(TestTable.facts.uuid, TestTable.partition, number % buckets, "")
      val name = BaseFileName(id, "0-1-0", at).text
      Files.writeString(partition.resolve(name), "rows")
      val stat = TestTable.stat(id, s"${TestTable.partition}/$name", None, 4)
      val json = TestTable.metadata(Seq(stat)).toJson
      numbered(CommitRecord.Commit, Instant.commit, json)
      val made = Instant(at, Instant.commit, Instant.Completed)
      put(made, json)
      made
    }

    /** Changes the time of a commit's file, as a rewrite of it does. */
    def change(completed: Instant): Unit = {
      val file = timeline.resolve(files.layout.fileName(completed)).toFile
      assert(file.setLastModified(file.lastModified - 5000))
    }

    def delete(slice: FileSlice): Unit = Files.delete(partition.resolve(slice.fileName))

    /** Hides a file group, and returns the replacecommit. */
    def replace(slice: FileSlice): Instant = {
      val metadata = TestTable.metadata(Nil)
        .copy(replacedFileIds = Map(slice.partition -> Seq(slice.fileId)))
      numbered(CommitRecord.Commit, Instant.replaceCommit, metadata.toJson)
      val made = Instant(instant(number), Instant.replaceCommit, Instant.Completed)
      put(made, metadata.toJson)
      made
    }

    def undo(completed: Instant): Unit =
      Files.delete(timeline.resolve(files.layout.fileName(completed)))

    /** Takes a number for an instant that never completes, and returns it. */
    def aborted(): String = {
      numbered(CommitRecord.Abort, Instant.commit, "")
      instant(number)
    }

    def load(): TableSnapshot = {
      fresh()
      TableSnapshot.load(files, TestTable.facts)
    }

    def slices(): Seq[FileSlice] =
      load().slices(TestTable.partition).map(s => s.copy(path = new Path(s.fileName)))

    def stored(): Unit = TableSnapshot.load(TimelineFiles.of(LocalStorage, base), TestTable.facts).storeCheckpoint()

    def checkpoints: Seq[LocalPath] = {
      val found = numbers.toFile.listFiles.toSeq.map(_.toPath)
      found.filter(_.toString.endsWith(".checkpoint"))
    }

    /** Cost of a load, as in a fresh process: the table has a name that none has cached. */
    def cost(): Cost = {
      fresh()
      costAgain()
    }

    /** Cost of a load of the table by the name that was used last. */
    def costAgain(): Cost = {
      var cost = Cost(0, 0, 0)
      val counted = Proxy.newProxyInstance(
        getClass.getClassLoader,
        Array(classOf[Storage]),
        (_: Object, method: java.lang.reflect.Method, arguments: Array[Object]) => {
          val answer =
            try method.invoke(LocalStorage, Option(arguments).getOrElse(Array.empty[Object]): _*)
            catch { case e: InvocationTargetException => throw e.getCause }
          val (entries, bytes) = answer match {
            case found: Seq[_] => (found.size, 0)
            case read: Array[Byte] => (0, read.length)
            case _ => (0, 0)
          }
          cost = Cost(cost.calls + 1, cost.entries + entries, cost.bytes + bytes)
          answer
        }
      ).asInstanceOf[Storage]
      val snapshot = TableSnapshot.load(TimelineFiles.of(counted, files.basePath), TestTable.facts)
      snapshot.slices(TestTable.partition): Unit
      cost
    }

    /** Reaches the table by another path, so that nothing of it is cached. */
    private def fresh(): Unit = {
      copies += 1
      val link = local("").resolveSibling(s"t$copies")
      Files.createSymbolicLink(link, local(""))
      files = TimelineFiles.of(LocalStorage, Storage.resolve(dir, s"t$copies"))
    }

    private def numbered(kind: CommitRecord.Kind, action: String, json: String): Unit = {
      number += 1
      val record =
        CommitRecord(kind, instant(number), action, "w", Set.empty[FileGroupRef], Some(json))
      Files.writeString(numbers.resolve(f"$number%020d"), record.toJson)
      Files.createFile(numbers.resolve(f"$number%020d-${instant(number)}")): Unit
    }

    private def instant(n: Int): String = f"20240101${n}%09d"
    private def put(of: Instant, json: String): Unit =
      Files.writeString(timeline.resolve(files.layout.fileName(of)), json): Unit
    private def local(relative: String): LocalPath =
      Paths.get(Storage.resolve(base, relative).toUri.getPath)
    private def folder(relative: String): LocalPath = Files.createDirectories(local(relative))
  }
}
