package hudilite.view

import java.nio.file.{Files, Paths}

import org.scalatest.funsuite.AnyFunSuite

import hudilite.io.LocalStorage
import hudilite.view.TestTable.use

class StoredFootersSuite extends AnyFunSuite {
  private val kind = new ShortFooter.Kind(Array[Byte](9, 9))
  private val some = Seq(
    TableFooters.File("p=1/a.parquet", 1000) -> footer(1, 2, 3),
    TableFooters.File("p=2/é.parquet", 3000000000L) -> footer()
  )

  private def footer(bytes: Byte*) = new ShortFooter(kind, bytes.toArray)

  private def write(table: TestTable, uuid: String, entries: Seq[StoredFooters.Entry]): Unit =
    StoredFooters.write(
      table.files,
      uuid,
      entries.foldLeft(TableFooters()) { case (all, (file, of)) => all.added(file, Some(of)) }
    )

  private def told(entries: Seq[StoredFooters.Entry]) =
    entries.map { case (file, of) => (file, of.kind, of.bounds.toSeq) }.toSet

  private def read(table: TestTable, uuid: String) =
    told(StoredFooters.read(table.files, uuid).get)

  test("what was written is read, and replaces what was there") {
    use { table =>
      assert(read(table, "one").isEmpty)
      write(table, "one", some)
      assert(read(table, "one") == told(some))
      write(table, "one", some.tail)
      assert(read(table, "one") == told(some.tail))
    }
  }

  test("footers of another table count as none") {
    use { table =>
      write(table, "one", some)
      assert(read(table, "other").isEmpty)
    }
  }

  test("a file that is cut or altered anywhere counts as none") {
    use { table =>
      write(table, "one", some)
      val path = table.files.at(table.files.layout.footers)
      val whole = Files.readAllBytes(Paths.get(path.toUri))
      whole.indices.foreach { at =>
        LocalStorage.replace(path, whole.take(at))
        assert(read(table, "one").isEmpty, at)
        LocalStorage.replace(path, whole.updated(at, (whole(at) ^ 4).toByte))
        val found = read(table, "one")
        // gzip's header has bytes that tell nothing
        assert(found.isEmpty || found == told(some), at)
      }
    }
  }

  test("footers are known by place and length, after they are loaded or kept") {
    use { table =>
      table.config
      table.merge(0, 1, 2)(_ => "rows")
      val Seq(one, other, damaged) = table.snapshot.slices(table.partition): @unchecked
      val known = table.snapshot.footers
      assert(known.unknown(Seq(one, other, damaged)) == Seq(one, other, damaged))
      known.keep(Seq(one -> Some(footer(7)), damaged -> None))
      assert(known.of(one).exists(_.bounds.toSeq == Seq(7)))
      assert(known.of(damaged).isEmpty)
      assert(known.unknown(Seq(one, other, damaged)) == Seq(other))
      val longer = FileSlice.ofBase(one.partition, one.fileId, one.instant, one.path, 5000)
      assert(known.unknown(Seq(longer)) == Seq(longer))
      assert(table.snapshot.footers.unknown(Seq(one, other)) == Seq(other))
      known.store(Seq(one, damaged))
      assert(read(table, table.config.uuid).map(_._1) == Set(TableFooters.File.of(one)))
    }
  }

  test("stored footers are loaded once, but again if they could not be read") {
    use { table =>
      table.config
      table.merge(0, 1)(_ => "rows")
      val Seq(one, other) = table.snapshot.slices(table.partition): @unchecked
      val path = Paths.get(table.files.at(table.files.layout.footers).toUri)
      Files.createDirectories(path) // a folder cannot be read
      assert(table.snapshot.footers.unknown(Seq(one)) == Seq(one))
      Files.delete(path)
      write(table, table.config.uuid, Seq(TableFooters.File.of(one) -> footer(1)))
      assert(table.snapshot.footers.unknown(Seq(one, other)) == Seq(other))
      assert(table.snapshot.footers.of(one).exists(_.bounds.toSeq == Seq(1)))
      write(table, table.config.uuid, Seq(TableFooters.File.of(other) -> footer(2)))
      assert(table.snapshot.footers.unknown(Seq(one, other)) == Seq(other))
    }
  }

  test("footers of other files are dropped, also those that are stored") {
    use { table =>
      table.config
      table.merge(0, 1)(_ => "rows")
      val Seq(one, other) = table.snapshot.slices(table.partition): @unchecked
      val large = footer(new Array[Byte](33 << 20).toSeq: _*)
      write(table, table.config.uuid, Seq(TableFooters.File.of(other) -> large))
      val known = table.snapshot.footers
      known.keep(Seq(one -> Some(footer(1))))
      assert(known.hasRoom)
      known.keepOnly(Seq(one))
      assert(known.of(one).nonEmpty && known.of(other).isEmpty && known.hasRoom)
      assert(known.unknown(Seq(one, other)) == Seq(other))
      known.keep(Seq(other -> Some(large)))
      assert(!known.hasRoom)
    }
  }
}
