package hudilite.spark.write

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY
import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

/** Decimals, which all are bytes of fixed length. */
class FixedDecimalsSuite extends BaseFiles {
  private val small = layout(pageRows = 10, rowGroupRows = 20)

  /** Lengths of the decimals of a file, by their precisions; -1 for one of another physical type. */
  private def lengths(path: Path): Map[Int, Int] =
    footer(path).getFileMetaData.getSchema.getColumns.asScala.map(_.getPrimitiveType).flatMap {
      column =>
        column.getLogicalTypeAnnotation match {
          case decimal: DecimalLogicalTypeAnnotation =>
            val isFixed = column.getPrimitiveTypeName == FIXED_LEN_BYTE_ARRAY
            Some(decimal.getPrecision -> (if (isFixed) column.getTypeLength else -1))
          case _ => None
        }
    }.toMap

  test("flat rows, one by one and in batches") {
    val rows = flatRows(50)
    val one = written(flat, small)(file => internal(rows, flat).foreach(file.write))
    val batches = Seq(true, false).map { offHeap =>
      written(flat, small) { file =>
        inBatches(rows, flat, offHeap, 16) { batch =>
          file.write(batch, 0, batch.numRows)
          file.release()
        }
      }
    }
    (one +: batches).foreach { path =>
      assert(lengths(path) == Map(9 -> 4, 18 -> 8, 20 -> 9, 38 -> 16))
      assert(groups(path) == Seq(20, 20, 10))
      assert(read(path, flat) == rows)
    }
  }

  test("decimals in structs, arrays and maps") {
    val few = DecimalType(5, 2)
    val nested = StructType(
      flat.take(5) ++ Seq(
        StructField("n", IntegerType),
        StructField("s", StructType(Seq(StructField("n", LongType), StructField("d", few)))),
        StructField("l", ArrayType(DecimalType(12, 3))),
        StructField("m", MapType(StringType, DecimalType(38, 1))),
        StructField("d", few)
      )
    )
    def dec(text: String) = new java.math.BigDecimal(text)
    val rows = Seq.tabulate(30) { i =>
      val meta = Seq("001", s"001_0_$i", f"k$i%05d", "", "a.parquet")
      val values: Seq[Any] =
        if (i % 5 == 4) Seq.fill(5)(None.orNull)
        else Seq(
          -i,
          Row(i * 10000000000L, dec(s"-$i.25")),
          Seq(dec(s"$i.125"), None.orNull, dec(s"-123456789.$i").setScale(3)),
          Map("a" -> dec(s"$i.5"), "b" -> dec("-" + "9" * 37 + ".9")),
          dec(s"$i.75")
        )
      Row.fromSeq(meta ++ values)
    }
    val path = written(nested, small) { file =>
      internal(rows, nested).foreach(file.write)
    }
    assert(lengths(path) == Map(5 -> 3, 12 -> 6, 38 -> 16))
    assert(read(path, nested) == rows)
  }

  test("few values have a dictionary, and pages the bounds of their values") {
    val signed = Seq("-99.99", "0.00", "-0.01", "12.50")
    val columns = StructType(
      flat.take(5) ++ Seq(
        StructField("d", DecimalType(4, 2)),
        StructField("e", DecimalType(18, 2)),
        StructField("l", ArrayType(DecimalType(4, 2)))
      )
    )
    val rows = Seq.tabulate(2000) { i =>
      val value = new java.math.BigDecimal(signed(i % 4))
      Row.fromSeq(Seq("001", s"001_0_$i", f"k$i%05d", "", "a.parquet", value, value, Seq(value)))
    }
    val all = layout(pageRows = 1000, rowGroupRows = 10000)
    Seq(columns, StructType(columns.take(7))).foreach { schema =>
      val of = rows.map(row => Row.fromSeq(row.toSeq.take(schema.size)))
      val path = written(schema, all)(file => internal(of, schema).foreach(file.write))
      assert(read(path, schema) == of)
      schema.drop(5).map(field => if (field.name == "l") "l.list.element" else field.name)
        .foreach { column =>
          val found = chunk(path, 0, column)
          assert(found.hasDictionaryPage, column)
          assert(found.getTotalSize < 2000, column)
          val bounds = Seq(found.getStatistics.minAsString, found.getStatistics.maxAsString)
          assert(bounds == Seq("-99.99", "12.50"), column)
        }
    }
  }
}
