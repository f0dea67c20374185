package hudilite.spark.write

import scala.util.Using

import org.apache.hadoop.fs.Path
import org.apache.parquet.column.values.bloomfilter.BloomFilter
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.api.Binary
import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

import hudilite.format.MetaFields

class ColumnBloomsSuite extends BaseFiles {
  private val schema = StructType(
    MetaFields.all.map(StructField(_, StringType)) ++ Seq(
      StructField("n", LongType),
      StructField("t", StringType),
      StructField("few", IntegerType),
      StructField("plain", LongType)
    )
  )
  private val nested = schema.add("list", ArrayType(IntegerType))
  private val rows = Seq.tabulate(25) { i =>
    val name = if (i == 3) None.orNull else s"text $i"
    Row("1", s"s$i", s"k$i", "", "a.parquet", i * 1000L, name, i % 2, i * 1000L)
  }
  private val withBlooms = layout(3, 10).copy(blooms = Seq("N", "t", "few", "gone"))

  private def bloom(path: Path, group: Int, column: String): Option[BloomFilter] =
    withFooter(path)(reader => Option(reader.readBloomFilter(chunk(path, group, column))))

  private def assertBlooms(path: Path): Unit = {
    groups(path).indices.foreach { group =>
      val (numbers, texts) = (bloom(path, group, "n").get, bloom(path, group, "t").get)
      rows.zipWithIndex.foreach { case (row, i) =>
        val isHere = i / 10 == group
        assert(numbers.findHash(numbers.hash(row.getLong(5))) == isHere)
        Option(row.getString(6)).foreach { text =>
          assert(texts.findHash(texts.hash(Binary.fromString(text))) == isHere)
        }
      }
      assert(numbers.getBitsetSize <= 4096, "as large as its values need")
      Seq("few", "plain", MetaFields.RecordKey).foreach { column =>
        assert(bloom(path, group, column).isEmpty, column) // a dictionary has few values
      }
    }
  }

  test("each row group has a bloom filter of the chosen columns, encoded by columns") {
    val path = written(schema, withBlooms)(to => internal(rows, schema).foreach(to.write))
    assertBlooms(path)
    assert(read(path, schema) == rows)
  }

  test("so has one that is encoded by rows") {
    val all = rows.map(row => Row.fromSeq(row.toSeq :+ Seq(1, 2)))
    val path = written(nested, withBlooms)(to => internal(all, nested).foreach(to.write))
    assertBlooms(path)
  }

  test("copied row groups and columns keep their bloom filters") {
    val old = written(schema, withBlooms)(to => internal(rows, schema).foreach(to.write))
    val own = StructType(schema.filter(_.name == "few"))
    val path = written(schema, layout(3, 10)) { to =>
      Using.resource(HadoopInputFile.fromPath(old, conf).newStream()) { stream =>
        val from = new OldColumnChunks(footer(old), stream, read => read)
        Seq(0, 1).foreach(to.copyRowGroup(from, _, "a.parquet"))
        to.startRowGroup(CopiedColumns(from, 2, schema.fieldNames.toSet - "few"))
        internal(rows.drop(20).map(row => Row(row.getInt(7))), own).foreach(to.write)
        to.endRowGroup()
      }
    }
    assertBlooms(path)
    assert(read(path, schema) == rows)
  }

  test("a column whose type has no bloom filter gets none, whatever the property says") {
    val doubles = StructType(schema.map { field =>
      if (field.name == "n") field.copy(dataType = DoubleType) else field
    })
    Seq(doubles, doubles.add("list", ArrayType(IntegerType))).foreach { columns =>
      val all = rows.map(row => Row.fromSeq(row.toSeq.updated(5, row.getLong(5).toDouble))).map {
        row => if (columns.length > row.length) Row.fromSeq(row.toSeq :+ Seq(1)) else row
      }
      val path = written(columns, withBlooms)(to => internal(all, columns).foreach(to.write))
      assert(groups(path).indices.forall(bloom(path, _, "n").isEmpty))
      assert(groups(path).indices.forall(bloom(path, _, "t").nonEmpty))
    }
  }

  test("a column whose dictionary has all values has no bloom filter") {
    val same = rows.map(row => Row.fromSeq(row.toSeq.updated(5, 7L)))
    val path = written(schema, withBlooms)(to => internal(same, schema).foreach(to.write))
    assert(groups(path).indices.forall(bloom(path, _, "n").isEmpty))
  }
}
