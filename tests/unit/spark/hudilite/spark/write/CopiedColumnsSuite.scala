package hudilite.spark.write

import java.nio.file.{Files, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.metadata.{CompressionCodecName, FileMetaData, ParquetMetadata}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.ParquetDecodingException
import org.apache.parquet.schema.{MessageType, MessageTypeParser}
import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

import hudilite.format.MetaFields

class CopiedColumnsSuite extends BaseFiles {

  private val rows = flatRows(25)
  private lazy val old = written(flat, layout(3, 10, CompressionCodecName.GZIP))(to =>
    internal(rows, flat).foreach(to.write)
  )
  private val nameAt = flat.fieldIndex(MetaFields.FileName)

  test("a copied row group is the old one but for the file name") {
    val path = written(flat, layout(3, 10)) { to =>
      withOld(old)(from => Seq(1, 0).foreach(to.copyRowGroup(from, _, "b.parquet")))
      assert((to.rowGroupsCopied, to.rowGroupsPartlyCopied, to.rowGroupsByColumns) == (2, 0, 0))
    }
    assert(read(path, flat) == (rows.slice(10, 20) ++ rows.take(10)).map(renamed))
    flat.fieldNames.filterNot(_ == MetaFields.FileName).foreach { name =>
      assertCopied(old, 1, path, 0, name)
      assertCopied(old, 0, path, 1, name)
    }
    val name = chunk(path, 0, MetaFields.FileName)
    assert(new String(name.getStatistics.getMinBytes) == "b.parquet")
    assert(name.getStatistics.getNumNulls == 0 && name.getValueCount == 10)
    assert(pages(path, MetaFields.FileName) == Seq(Seq(0), Seq(0)))
    assert(footer(path).getFileMetaData.getSchema == footer(old).getFileMetaData.getSchema)
  }

  test("columns that are not copied are encoded, in the schema's order") {
    val encoded = Set(MetaFields.CommitTime, MetaFields.FileName, "i32", "text", "must")
    val copied = flat.fieldNames.toSet -- encoded
    val own = StructType(flat.filter(field => encoded(field.name)))
    val values = rows.slice(10, 20).zipWithIndex.map { case (_, i) =>
      Row("002", "b.parquet", -i, if (i == 4) None.orNull else s"new $i", 100 + i)
    }
    val path = written(flat, layout(4, 100)) { to =>
      withOld(old) { from =>
        internal(rows.take(3), flat).foreach(to.write)
        to.startRowGroup(CopiedColumns(from, 1, copied))
        inBatches(values, own, offHeap = false, 100) { batch =>
          to.write(batch, 0, 6)
          to.write(batch, 0, patchOf(internal(Seq(values(6)), own).head), placesOf(0, 1, 2, 3, 4))
          to.release()
        }
        internal(values.drop(7), own).foreach(to.write)
        to.endRowGroup()
        internal(rows.drop(20), flat).foreach(to.write)
      }
      to.endRowGroup()
      assert((to.rowGroupsCopied, to.rowGroupsPartlyCopied, to.rowGroupsByColumns) == (0, 1, 2))
    }
    val expected = rows.slice(10, 20).zip(values).map { case (row, value) =>
      Row.fromSeq(flat.map { field =>
        if (encoded(field.name)) value(own.fieldIndex(field.name))
        else row(flat.fieldIndex(field.name))
      })
    }
    assert(read(path, flat) == rows.take(3) ++ expected ++ rows.drop(20))
    copied.foreach(assertCopied(old, 1, path, 1, _))
    assert(pages(path, "text") == Seq(Seq(0), Seq(0, 4, 8), Seq(0, 4)))
    assert(chunk(path, 1, "text").getCodec == CompressionCodecName.SNAPPY)
    assert(chunk(path, 1, "raw").getCodec == CompressionCodecName.GZIP)
    footer(path).getBlocks.asScala.foreach { block =>
      assert(block.getColumns.asScala.map(_.getPath.toDotString) == flat.fieldNames.toSeq)
      assert(block.getTotalByteSize == block.getColumns.asScala.map(_.getTotalUncompressedSize).sum)
    }
  }

  test("a page with a turned bit is not copied") {
    val place = chunk(old, 1, "text")
    val whole = Files.readAllBytes(Paths.get(old.toUri))
    val taken = (0 until place.getTotalSize.toInt).filter { at =>
      val damaged = whole.clone
      val turned = place.getStartingPos.toInt + at
      damaged(turned) = (damaged(turned) ^ 4).toByte
      val path = newPath("damaged.parquet")
      Files.write(Paths.get(path.toUri), damaged)
      val to = opened(newPath("file.parquet"), flat, layout(3, 10))
      try {
        withOld(path)(to.copyRowGroup(_, 1, "b.parquet"))
        true
      } catch { case _: ParquetDecodingException => false }
      finally to.abandon()
    }
    val (_, places) = indexes(old, 1, "text")
    val bodies = places.map(of => of(0) + of(1) - 1) // each page ends with its values
    assert(places.size > 2 && !taken.exists(at => bodies.contains(at.toLong)))
    assert(taken.size < place.getTotalSize / 2, "what no header's checksum covers is little")
  }

  test("nested columns are copied, and written beside copied ones") {
    val schema = StructType(
      flat.fields.take(5) ++ Seq(
        StructField("list", ArrayType(StructType(Seq(StructField("a", StringType))))),
        StructField("n", IntegerType),
        StructField("map", MapType(StringType, LongType))
      )
    )
    def nested(i: Int) =
      Row("1", s"s$i", s"k$i", "", "f", Seq.tabulate(i % 3)(j => Row(s"a$j")), i, Map(s"k$i" -> 1L))
    val all = Seq.tabulate(9)(nested)
    val from = written(schema, layout(3, 5))(to => internal(all, schema).foreach(to.write))
    val own = StructType(schema.filter(field => Set("n", "map")(field.name)))
    val path = written(schema, layout(3, 5)) { to =>
      withOld(from) { file =>
        to.copyRowGroup(file, 0, "g")
        to.startRowGroup(CopiedColumns(file, 1, schema.fieldNames.toSet -- own.fieldNames))
        val values = Seq.tabulate(4)(i => Row(i, if (i == 1) None.orNull else Map("z" -> i.toLong)))
        internal(values, own).foreach(to.write)
        to.endRowGroup()
      }
    }
    val copied = all.take(5).map(row => Row.fromSeq(row.toSeq.updated(4, "g")))
    val mixed = all.drop(5).zipWithIndex.map { case (row, i) =>
      Row.fromSeq(
        row.toSeq.take(6) ++ Seq(i, if (i == 1) None.orNull else Map("z" -> i.toLong))
      )
    }
    assert(read(path, schema) == copied ++ mixed)
    assertCopied(from, 1, path, 1, "list.list.element.a")
  }

  test("the order of the columns is the schema's, whatever the old file's is") {
    val turned = StructType(flat.fields.reverse)
    val from = written(turned, layout(3, 10))(to =>
      internal(rows.map(row => Row.fromSeq(row.toSeq.reverse)), turned).foreach(to.write)
    )
    val path = written(flat, layout(3, 10))(to => withOld(from)(to.copyRowGroup(_, 2, "b.parquet")))
    assert(read(path, flat) == rows.drop(20).map(renamed))
    assert(
      footer(path).getBlocks.get(0).getColumns.asScala.map(_.getPath.toDotString) ==
        flat.fieldNames.toSeq
    )
  }

  test("rows too few or too many beside copied columns are refused") {
    val copied = flat.fieldNames.toSet - "must"
    val own = StructType(flat.takeRight(1))
    val values = internal(rows.take(11).map(row => Row(row.getInt(21))), own)
    val to = opened(newPath("file.parquet"), flat, layout(3, 10))
    withOld(old) { from =>
      to.startRowGroup(CopiedColumns(from, 0, copied))
      values.take(10).foreach(to.write)
      assertThrows[IllegalStateException](to.write(values(10)))
      to.abandon()
      val few = opened(newPath("file.parquet"), flat, layout(3, 10))
      few.startRowGroup(CopiedColumns(from, 0, copied))
      values.take(9).foreach(few.write)
      assertThrows[IllegalStateException](few.endRowGroup())
      few.abandon()
    }
  }

  test("what must not be copied is refused") {
    val wider = StructType(flat.map { field =>
      if (field.name == "i32") field.copy(dataType = LongType) else field
    })
    val to = opened(newPath("file.parquet"), wider, layout(3, 10))
    withOld(old) { from =>
      val thrown = intercept[IllegalArgumentException](to.copyRowGroup(from, 0, "b"))
      assert(thrown.getMessage.contains("i32") && thrown.getMessage.contains("schema"))
      assertThrows[IllegalArgumentException](to.startRowGroup(CopiedColumns(from, 0, Set("i32"))))
      assertThrows[IllegalArgumentException](to.startRowGroup(CopiedColumns(from, 0, Set("none"))))
      assertThrows[IllegalArgumentException](to.startRowGroup(CopiedColumns(from, 3, Set("i64"))))
      to.startRowGroup(CopiedColumns(from, 0, Set("i64")))
    }
    to.abandon()
  }

  private val message =
    "message m { optional int32 a; optional int64 t (TIMESTAMP(MICROS,true)); optional group l (LIST) " +
      "{ repeated group list { optional binary element (STRING); } } required int32 r; }"

  private def canCopy(of: String, createdBy: String = "parquet-mr version 1.10.0 (build x)") =
    CopyRules.canCopy(
      new ParquetMetadata(
        new FileMetaData(parsed(of), Map.empty[String, String].asJava, createdBy),
        java.util.List.of()
      ),
      parsed(message)
    )

  test("a file of the same columns may be copied, in any order and with more of them") {
    assert(canCopy(message) == Right(()))
    assert(canCopy(message.replace("required int32 r; }", "required int32 r; optional int32 z; }"))
      .isRight)
    assert(canCopy(message.replace("optional int32 a;", "").replace("} }", "} } optional int32 a;"))
      .isRight)
    assert(canCopy(message.replace("int32 a", "int32 a = 7")).isRight)
  }

  Seq(
    "optional int32 a" -> "optional int64 a",
    "optional int32 a" -> "required int32 a",
    "optional int32 a" -> "optional int32 a (INTEGER(8,true))",
    "optional int32 a" -> "optional int32 A",
    "optional int32 a;" -> "",
    "required int32 r" -> "optional int32 r",
    "MICROS" -> "MILLIS",
    "MICROS,true" -> "MICROS,false",
    "binary element (STRING)" -> "binary element",
    "repeated group list" -> "repeated group bag",
    "} }" -> "optional int32 more; } }"
  ).foreach { case (column, other) =>
    test(s"a file that has '$other' for '$column' is not copied") {
      assert(canCopy(message.replace(column, other)).left.map(_.word) == Left("schema"))
    }
  }

  Seq(
    "parquet-mr version 1.9.0 (build x)" -> false,
    "parquet-mr version 1.10.1 (build x)" -> true,
    "parquet-mr version 1.13.1" -> true,
    "parquet-mr version 2.0.0 (build x)" -> true,
    "parquet-mr" -> false,
    "parquet-cpp-arrow version 21.0.0" -> false,
    "DuckDB version v1.4.1 (build x)" -> false,
    "" -> false
  ).foreach { case (createdBy, known) =>
    test(s"what '$createdBy' wrote is ${if (known) "" else "not "}copied") {
      assert(canCopy(message, createdBy).left.map(_.word) == Either.cond(known, (), "writer"))
    }
  }

  test("an encrypted file is not copied") {
    val of = new FileMetaData(parsed(message), Map.empty[String, String].asJava,
      "parquet-mr version 1.16.0", FileMetaData.EncryptionType.PLAINTEXT_FOOTER, None.orNull)
    val found = CopyRules.canCopy(new ParquetMetadata(of, java.util.List.of()), parsed(message))
    assert(found.left.map(_.word) == Left("encryption"))
  }

  private def parsed(text: String): MessageType = MessageTypeParser.parseMessageType(text)

  private def renamed(row: Row) = Row.fromSeq(row.toSeq.updated(nameAt, "b.parquet"))

  private def withOld[A](path: Path)(use: OldColumnChunks => A): A =
    Using.resource(HadoopInputFile.fromPath(path, conf).newStream()) { in =>
      use(new OldColumnChunks(footer(path), in, read => read))
    }

  private def assertCopied(old: Path, from: Int, path: Path, to: Int, column: String): Unit = {
    assert(body(path, to, column) == body(old, from, column), column)
    assert(indexes(path, to, column) == indexes(old, from, column), column)
    val before = chunk(old, from, column)
    val after = chunk(path, to, column)
    assert(after.getStatistics == before.getStatistics, column)
    assert(after.getEncodings == before.getEncodings && after.getCodec == before.getCodec, column)
    assert(after.getValueCount == before.getValueCount, column)
    assert(after.getTotalUncompressedSize == before.getTotalUncompressedSize, column)
    ()
  }
}
