package hudilite.spark.write

import java.nio.file.{Files, Paths}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.metadata.{ColumnChunkMetaData, CompressionCodecName}
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, JoinedRow, UnsafeProjection}
import org.apache.spark.sql.execution.vectorized.{
  ColumnVectorUtils,
  ConstantColumnVector,
  WritableColumnVector
}
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.MetaFields
import hudilite.io.FakeStore

class BaseFileWriterSuite extends BaseFiles {

  private val nested = StructType(
    flat.fields.take(5) ++ Seq(
      StructField("id", IntegerType),
      StructField("list", ArrayType(IntegerType)),
      StructField("map", MapType(StringType, DoubleType)),
      StructField("struct",
        StructType(Seq(StructField("a", StringType), StructField("b", LongType))))
    )
  )

  private val wide = layout(5000, 262144)

  test("every type comes back as it was written row by row") {
    val rows = flatRows(25)
    val path = written(flat, wide)(to => internal(rows, flat).foreach(to.write))
    assert(read(path, flat) == rows)
  }

  for {
    offHeap <- Seq(false, true)
    dictionary <- Seq(false, true)
  } test(s"every type comes back from batches: off the heap $offHeap, dictionary $dictionary") {
    val rows = flatRows(60)
    val path = written(flat, layout(3, 10)) { to =>
      inBatches(rows, flat, offHeap, 16, dictionary) { batch =>
        assert(batch.column(0).asInstanceOf[WritableColumnVector].hasDictionary == dictionary)
        to.write(batch, 0, batch.numRows)
        to.release()
      }
    }
    assert(read(path, flat) == rows)
  }

  test("vectors of other kinds than Spark's own are written") {
    val rows = flatRows(7)
    val constants = internal(rows.takeRight(1), flat).head
    val path = written(flat, layout(3, 10)) { to =>
      val columns = flat.fields.zipWithIndex.map { case (field, j) =>
        val constant = new ConstantColumnVector(5, field.dataType)
        ColumnVectorUtils.populate(constant, constants, j)
        constant
      }
      to.write(new ColumnarBatch(columns.toArray[ColumnVector], 5), 0, 5)
    }
    assert(read(path, flat) == Seq.fill(5)(rows.last))
  }

  test("a stretch of a batch is written, and no more") {
    val rows = flatRows(30)
    val path = written(flat, wide) { to =>
      inBatches(rows, flat, offHeap = false, 30) { batch =>
        to.write(batch, 20, 23)
        to.write(batch, 5, 5)
        to.write(batch, 0, 7)
        to.release()
      }
    }
    assert(read(path, flat) == rows.slice(20, 23) ++ rows.take(7))
  }

  test("of a patched row each value comes from where it was said to") {
    val rows = flatRows(12)
    val columns = flat.fields.indices
    // Every second column of the row after is the patch, its values in reverse.
    val places = placesOf(columns.map(j => if (j % 2 == 0) (columns.last - j) / 2 else -1): _*)
    val patches = StructType(columns.filter(_ % 2 == 0).reverse.map(flat(_)))
    val after = rows.tail :+ rows.head
    val patchRows = internal(
      after.map(row => Row.fromSeq(columns.filter(_ % 2 == 0).reverse.map(row(_)))),
      patches
    )
    val path = written(flat, layout(3, 10)) { to =>
      inBatches(rows, flat, offHeap = false, 12) { batch =>
        (0 until batch.numRows).foreach { at =>
          to.write(batch, at, patchOf(patchRows(at)), places)
        }
        to.release()
      }
    }
    val expected = rows.zip(after).map { case (row, next) =>
      Row.fromSeq(columns.map(j => if (j % 2 == 0) next(j) else row(j)))
    }
    assert(read(path, flat) == expected)
  }

  test("a joined row and values in reused memory are written as they are at the call") {
    val schema = StructType(flat.fields.take(6))
    val meta = new GenericInternalRow(5)
    val project = UnsafeProjection.create(Array[DataType](StringType))
    val joined = new JoinedRow
    val yes = new GenericInternalRow(Array[Any](true))
    val path = written(schema, wide) { to =>
      Seq("aaa", "bbb", "ccc").foreach { text =>
        val reused: InternalRow = project(InternalRow(UTF8String.fromString(text)))
        MetaFields.all.indices.foreach(j => meta.update(j, reused.getUTF8String(0)))
        to.write(joined(meta, yes))
      }
    }
    assert(read(path, schema).map(_.getString(2)) == Seq("aaa", "bbb", "ccc"))
  }

  test("rows and batches may follow each other") {
    val rows = flatRows(40)
    val asRows = internal(rows, flat)
    val path = written(flat, layout(4, 13)) { to =>
      to.write(asRows.head)
      inBatches(rows, flat, offHeap = false, 40) { batch =>
        to.write(batch, 1, 38)
        to.release()
      }
      asRows.drop(38).foreach(to.write)
    }
    assert(read(path, flat) == rows)
    assert(groups(path) == Seq(13, 13, 13, 1))
  }

  test("nested columns go by rows, whatever the call") {
    val rows = Seq.tabulate(20) { i =>
      val data: Seq[Any] =
        if (i % 5 == 1) Seq(i, None.orNull, None.orNull, None.orNull)
        else
          Seq(
            i,
            Seq.tabulate(i % 3)(Integer.valueOf) ++ Seq(None.orNull),
            Map(s"x$i" -> i.toDouble),
            Row(s"a$i", i.toLong)
          )
      Row.fromSeq(Seq("001", s"s$i", s"k$i", "", "f") ++ data)
    }
    val asRows = internal(rows, nested)
    val all = nested.fields.indices
    val places = Array(0, 1) ++ placesOf(all.drop(2).map(j => if (j == 6 || j == 8) j else -1): _*)
    val path = written(nested, layout(3, 10)) { to =>
      asRows.take(4).foreach(to.write)
      inBatches(rows, nested, offHeap = false, 20) { batch =>
        to.write(batch, 4, 18)
        to.write(batch, 18, patchOf(asRows(19)), places)
        to.release()
      }
      to.write(asRows(19))
      to.endRowGroup()
      assert((to.rowGroupsByRows, to.rowGroupsByColumns) == (2, 0))
    }
    val patched = Row.fromSeq(Seq("002", "002_0_0") ++
      all.drop(2).map(j => if (j == 6 || j == 8) rows(19)(j) else rows(18)(j)))
    assert(read(path, nested) == rows.take(18) ++ Seq(patched, rows(19)))
  }

  test("flat columns go by columns") {
    written(flat, layout(3, 10)) { to =>
      internal(flatRows(11), flat).foreach(to.write)
      to.endRowGroup()
      assert((to.rowGroupsByRows, to.rowGroupsByColumns, to.rowGroupsCopied) == (0, 2, 0))
    }
  }

  test("the footer says what Spark, Hudi and the caller have to say") {
    val path = written(flat, wide)(to => internal(flatRows(3), flat).foreach(to.write))
    val of = footer(path).getFileMetaData
    val pairs = of.getKeyValueMetaData.asScala
    assert(pairs("writer.model.name") == "avro")
    assert(pairs("ours") == "yes")
    assert(DataType.fromJson(pairs("org.apache.spark.sql.parquet.row.metadata")) == flat)
    assert(pairs.contains("org.apache.spark.version"))
    assert(of.getCreatedBy.startsWith("parquet-mr version 1.16.0"))
    val types = of.getSchema.getFields.asScala.map(field => field.getName -> field.toString).toMap
    assert(types("i8") == "optional int32 i8" && types("i16") == "optional int32 i16")
    assert(types("ts") == "optional int64 ts (TIMESTAMP(MICROS,true))")
    assert(types("must") == "required int32 must")
    assert(of.getSchema.getFields.asScala.map(_.getName) == flat.fieldNames.toSeq)
  }

  test("keys are plain, sequence numbers say what differs, the others have dictionaries") {
    val path = written(flat, wide)(to => internal(flatRows(50), flat).foreach(to.write))
    def encodings(column: String) =
      chunk(path, 0, column).getEncodingStats.getDataEncodings.asScala.map(_.name).toSet
    assert(encodings("_hoodie_record_key") == Set("PLAIN"))
    assert(encodings("_hoodie_commit_seqno") == Set("DELTA_BYTE_ARRAY"))
    assert(encodings("_hoodie_commit_time") == Set("PLAIN_DICTIONARY"))
    assert(encodings("text") == Set("PLAIN_DICTIONARY"))
  }

  test("a column that needs no dictionary has none in the next row groups of the file") {
    val schema = StructType(flat.fields.take(5) ++ Seq(
      StructField("early", IntegerType), // differs in the first row group alone
      StructField("late", StringType), // differs from the third on
      StructField("absent", LongType)
    ))
    val rows = Seq.tabulate(10 * 1000) { i =>
      Row("1", s"1_$i", f"k$i%05d", "", "f", if (i < 1000) i else i / 1000,
        if (i < 2000) "same" else s"other $i", None.orNull)
    }
    val paths = Seq.fill(2) {
      written(schema, layout(500, 1000))(to => internal(rows, schema).foreach(to.write))
    }
    paths.foreach { path =>
      assert(groups(path) == Seq.fill(10)(1000))
      assert(read(path, schema) == rows)
      def dictionaries(column: String) = groups(path).indices.filter { group =>
        val of = chunk(path, group, column).getEncodingStats
        of.hasDictionaryPages || of.hasDictionaryEncodedPages
      }
      assert(dictionaries("_hoodie_commit_time") == (0 until 10))
      assert(dictionaries("_hoodie_file_name") == (0 until 10))
      assert(dictionaries("early") == Seq(8, 9))
      assert(dictionaries("late") == Seq(0, 1))
      for {
        group <- groups(path).indices
        name <- schema.fieldNames
      } {
        val of = chunk(path, group, name)
        assert(of.getStatistics.getNumNulls == (if (name == "absent") 1000 else 0))
        assert(of.getStatistics.hasNonNullValue == (name != "absent"))
        withFooter(path) { reader =>
          assert(reader.readColumnIndex(of).getNullPages.size == 2)
          assert(reader.readOffsetIndex(of).getPageCount == 2)
        }
      }
    }
  }

  test("a row group of few rows says nothing about the next") {
    val schema = StructType(flat.fields.take(6))
    val rows = internal(Seq.tabulate(50)(i => Row("1", s"1_$i", s"k$i", "", "f", true)), schema)
    val path = written(schema, layout(500, 1000)) { to =>
      to.write(rows.head)
      to.endRowGroup()
      rows.foreach(to.write)
    }
    def usesDictionary(group: Int) =
      chunk(path, group, "_hoodie_commit_time").getEncodingStats.hasDictionaryEncodedPages
    assert(Seq(0, 1).map(usesDictionary) == Seq(false, true))
  }

  test("chunks have statistics and indexes, and are packed as the layout says") {
    val rows = flatRows(50)
    val path =
      written(flat, layout(20, 100, CompressionCodecName.GZIP))(to =>
        internal(rows, flat).foreach(to.write)
      )
    flat.fieldNames.foreach { name =>
      val of = chunk(path, 0, name)
      assert(of.getCodec == CompressionCodecName.GZIP)
      assert(of.getStatistics.getNumNulls == rows.count(_.isNullAt(flat.fieldIndex(name))))
      assert(pages(path, name) == Seq(Seq(0, 20, 40)), name)
      // Parquet has no bounds of pages with a NaN.
      val bounds = Option(withFooter(path)(_.readColumnIndex(of)))
      assert(bounds.map(_.getNullPages.size) == Option.when(name != "f32")(3), name)
    }
    val keys = chunk(path, 0, "_hoodie_record_key")
    assert(new String(keys.getStatistics.getMinBytes) == "k00000")
    assert(new String(keys.getStatistics.getMaxBytes) == "k00049")
  }

  test("pages and their metadata are those of Parquet's own column writers") {
    // One nested column sends all of them to Parquet's.
    val list = StructField("list", ArrayType(IntegerType))
    val rows = flatRows(250) ++ flatRows(2).reverse ++ Seq.fill(21)(flatRows(3).last)
    val ours = written(flat, layout(20, 100))(to => internal(rows, flat).foreach(to.write))
    val batches = written(flat, layout(20, 100)) { to =>
      inBatches(rows, flat, offHeap = false, 64) { batch =>
        to.write(batch, 0, batch.numRows)
        to.release()
      }
    }
    val theirs = written(flat.add(list), layout(20, 100)) { to =>
      internal(rows.map(row => Row.fromSeq(row.toSeq :+ Seq(1))), flat.add(list)).foreach(to.write)
    }
    for {
      path <- Seq(ours, batches)
      group <- groups(theirs).indices
      name <- flat.fieldNames
    } {
      val (one, other) = (chunk(path, group, name), chunk(theirs, group, name))
      assert(body(path, group, name) == body(theirs, group, name), name)
      assert(indexes(path, group, name) == indexes(theirs, group, name), name)
      assert(one.getStatistics == other.getStatistics, name)
      assert(sizes(one) == sizes(other), name)
    }
  }

  test("a file without rows is a file") {
    val path = written(flat, wide)(_.endRowGroup())
    assert(groups(path).isEmpty && read(path, flat).isEmpty)
  }

  test("a null in a column that takes none is refused, and its file is not finished") {
    val path = newPath("file.parquet")
    val to = opened(path, flat, wide)
    val row = internal(flatRows(1), flat).head
    val broken = new GenericInternalRow(row.toSeq(flat).updated(21, None.orNull).toArray[Any])
    to.write(row)
    assert(intercept[IllegalStateException](to.write(broken)).getMessage.contains("must"))
    assertThrows[IllegalStateException](to.close())
  }

  test("a null in a held row is refused when its piece is encoded") {
    val required = flat.takeRight(1)
    val optional = StructType(required.map(_.copy(nullable = true)))
    val to = opened(newPath("file.parquet"), StructType(required), wide)
    internal(Seq(Row(1), Row(None.orNull)), optional).foreach(to.write)
    assert(intercept[IllegalStateException](to.endRowGroup()).getMessage.contains("must"))
    assertThrows[IllegalStateException](to.close())
  }

  test("an abandoned file is let go") {
    val path = newPath("file.parquet")
    val to = opened(path, flat, wide)
    internal(flatRows(5), flat).foreach(to.write)
    assert(isOpen(path.getName))
    to.abandon()
    to.abandon()
    assert(!isOpen(path.getName))
  }

  test("in an object store an abandoned file is never seen, and a closed one stays") {
    conf.set("fs.fake.impl", classOf[FakeStore].getName)
    val path = newPath("file.parquet")
    val local = Paths.get(path.toUri.getPath)
    def to(): BaseFileWriter = opened(new Path(s"fake://bucket$local"), flat, wide)
    val abandoned = to()
    internal(flatRows(5), flat).foreach(abandoned.write)
    abandoned.abandon()
    assert(!Files.exists(local))
    val closed = to()
    internal(flatRows(5), flat).foreach(closed.write)
    closed.close()
    closed.abandon()
    assert(read(path, flat) == flatRows(5))
  }

  private def sizes(chunk: ColumnChunkMetaData) = Option(chunk.getSizeStatistics).map { of =>
    (of.isValid, of.getUnencodedByteArrayDataBytes, of.getDefinitionLevelHistogram)
  }

  private def isOpen(name: String): Boolean = {
    val held = Files.list(Paths.get("/proc/self/fd"))
    try held.iterator.asScala.exists { fd =>
        scala.util.Try(Files.readSymbolicLink(fd).toString).toOption.exists(_.endsWith(name))
      }
    finally held.close()
  }
}
