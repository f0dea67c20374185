package hudilite.io

import java.nio.file.{Files, Path => LocalPath}
import java.util.Arrays

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path, RawLocalFileSystem}
import org.apache.parquet.hadoop.util.HadoopOutputFile
import org.apache.parquet.io.OutputFile
import org.scalatest.funsuite.AnyFunSuite

class NewFileSuite extends AnyFunSuite {
  private val bytes = Array.tabulate[Byte](300000)(_.toByte)

  private def written(file: OutputFile, path: LocalPath): Map[String, (Seq[Byte], String)] = {
    val out = file.create(0)
    out.write(bytes)
    out.close()
    val checks = path.resolveSibling(s".${path.getFileName}.crc")
    Seq("data" -> path, "checks" -> checks).filter(f => Files.exists(f._2)).map { case (name, p) =>
      name -> ((Files.readAllBytes(p).toSeq, Files.getPosixFilePermissions(p).toString))
    }.toMap
  }

  for {
    (umask, size) <- Seq("022" -> "512", "077" -> "1024", "002" -> "512")
  } test(s"a file is what Hadoop makes of it, umask $umask, $size bytes a checksum") {
    val conf = new Configuration(false)
    conf.set("fs.permissions.umask-mode", umask)
    conf.set("file.bytes-per-checksum", size)
    conf.set("fs.file.impl.disable.cache", "true")
    val folder = Files.createTempDirectory("new file é")
    val (ours, its) = (folder.resolve("ours"), folder.resolve("its"))
    val expected = written(HadoopOutputFile.fromPath(new Path(its.toUri), conf), its)
    val found = written(new NewFile(new Path(ours.toUri), conf), ours)
    assert(found == expected)
    assert(found.keySet == Set("data", "checks"))
    assert(Arrays.equals(found("data")._1.toArray, bytes))
    assertThrows[java.io.IOException](new NewFile(new Path(ours.toUri), conf).create(0))
  }

  test("a file system of another class is asked for its files") {
    val conf = new Configuration(false)
    conf.set("fs.file.impl", classOf[RawLocalFileSystem].getName)
    conf.set("fs.file.impl.disable.cache", "true")
    val path = Files.createTempDirectory("new").resolve("file")
    val file = new NewFile(new Path(path.toUri), conf)
    assert(written(file, path).keySet == Set("data"))
    assert(!file.supportsBlockSize)
  }
}
