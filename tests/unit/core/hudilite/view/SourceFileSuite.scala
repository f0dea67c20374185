package hudilite.view

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.{ByteBuffer, ByteOrder}
import java.security.MessageDigest

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException
import hudilite.io.{LocalStorage, Storage, TempFolder}

class SourceFileSuite extends AnyFunSuite {
  private val conf = new Configuration()

  private def number(value: Int): Array[Byte] =
    ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(value).array

  /** A footer of so many bytes with what stands behind it. */
  private def footer(bytes: Int, fill: Int = 7): Array[Byte] =
    Array.tabulate(bytes)(i => (i % 251 + fill).toByte) ++ number(bytes) ++ "PAR1".getBytes(UTF_8)

  private def sha(bytes: Array[Byte]): String =
    MessageDigest.getInstance("SHA-256").digest(bytes).take(16).map(b => f"$b%02x").mkString

  private def withFile[T](bytes: Array[Byte])(use: Path => T): T = TempFolder.use { base =>
    val path = Storage.resolve(base, "data é.parquet")
    assert(LocalStorage.createNew(path, bytes))
    use(path)
  }

  private def skeleton(source: SourceFile): FileSlice =
    wholeFile.over(source)

  private def wholeFile: FileSlice =
    FileSlice.ofBase("", "f", BootstrapIndex.instant, new Path("/t/f.parquet"), 1L)

  private def condition(call: => Any): String = intercept[HudiliteException](call).condition

  test("the hash is that of the footer, its length and the magic bytes, whatever stands before") {
    for (size <- Seq(0, 1, 300, 65527, 65528, 65529, 70000, 200000); before <- Seq(0, 4, 100000)) {
      val end = footer(size)
      withFile(new Array[Byte](before) ++ end) { path =>
        assert(
          SourceFile.footerHash(path, before.toLong + end.length, conf) == sha(end),
          s"$size after $before bytes"
        )
      }
    }
  }

  test("a file that does not end as a Parquet file is damaged") {
    val whole = new Array[Byte](100) ++ footer(20)
    Seq(
      Array.emptyByteArray,
      "PAR1".getBytes(UTF_8),
      whole.dropRight(1),
      new Array[Byte](100) ++ number(101) ++ "PAR1".getBytes(UTF_8),
      new Array[Byte](100) ++ number(-1) ++ "PAR1".getBytes(UTF_8)
    ).foreach { bytes =>
      withFile(bytes) { path =>
        assert(
          condition(SourceFile.footerHash(path, bytes.length.toLong, conf)) ==
            "HUDILITE_CORRUPT_DATA_FILE",
          s"${bytes.length} bytes"
        )
      }
    }
  }

  test("a source is refused that has another length or footer, or is gone") {
    val whole = new Array[Byte](50) ++ footer(20)
    withFile(whole) { path =>
      val source = SourceFile(path, whole.length.toLong, 0L, Some(sha(footer(20))))
      SourceFile.check(skeleton(source), conf)
      SourceFile.check(skeleton(source.copy(footer = None)), conf)
      SourceFile.check(wholeFile, conf)
      Seq(source.copy(length = 1L), source.copy(footer = Some(sha(footer(20, 8))))).foreach {
        other =>
          assert(condition(SourceFile.check(skeleton(other), conf)) == "HUDILITE_SOURCE_CHANGED")
      }
      LocalStorage.delete(path)
      assert(condition(SourceFile.check(skeleton(source), conf)) == "HUDILITE_MISSING_DATA_FILE")
    }
  }
}
