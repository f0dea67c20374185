package hudilite.spark.catalog

import org.apache.spark.sql.connector.catalog.TableChange.ColumnPosition.{after, first}
import org.apache.spark.sql.connector.catalog.{DefaultValue, TableChange}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class ColumnChangesSuite extends AnyFunSuite {
  private val size = new StructType().add("w", IntegerType).add("h", IntegerType)
  private val columns = new StructType()
    .add("id", IntegerType, nullable = false)
    .add("size", size)
    .add("list", ArrayType(size))
    .add("v", StringType, nullable = false)

  private def changed(changes: TableChange*): ColumnChanges =
    changes.foldLeft(ColumnChanges.none(columns))(_.after(_))

  private def path(names: String): Array[String] = names.split('.')

  private def lost(changes: TableChange*): Seq[String] = changed(changes: _*).lost(columns)

  test("new columns and fields, places, comments and DROP NOT NULL need no new files") {
    val add = TableChange.addColumn(path("n"), LongType, true, "how many", first, None.orNull)
    assert(changed(add).schema.fieldNames.toSeq == Seq("n", "id", "size", "list", "v"))
    assert(lost(add) == Nil)
    val field =
      TableChange.addColumn(path("list.element.d"), LongType, true, None.orNull, after("w"),
        None.orNull)
    assert(
      changed(field).schema("list").dataType.catalogString == "array<struct<w:int,d:bigint,h:int>>"
    )
    assert(lost(field) == Nil)
    assert(lost(TableChange.updateColumnPosition(path("size.h"), first)) == Nil)
    assert(lost(TableChange.updateColumnPosition(path("v"), after("id"))) == Nil)
    assert(lost(TableChange.updateColumnComment(path("size.h"), "height")) == Nil)
    assert(lost(TableChange.updateColumnNullability(path("v"), true)) == Nil)
  }

  test("a default is that of the last change, and the column stays as it is in files") {
    def set(value: Option[DefaultValue]) =
      TableChange.updateColumnDefaultValue(path("v"), value.orNull)
    val (a, b) = (set(Some(new DefaultValue("'a'"))), set(Some(new DefaultValue("'b'"))))
    val twice = changed(a, b, TableChange.updateColumnPosition(path("v"), first))
    assert(twice.schema("v").getCurrentDefaultValue().contains("'b'"))
    assert(twice.lost(columns) == Nil)
    assert(changed(a).keptOrChanged.forall(_.isLeft))
    assert(changed(a, set(None)).schema("v") == columns("v"))
  }

  test("a column is new, changed or as before") {
    val all = changed(
      TableChange.addColumn(path("n"), LongType, true),
      TableChange.updateColumnNullability(path("v"), true),
      TableChange.updateColumnComment(path("size"), "of a box")
    )
    assert(all.keptOrChanged.map(_.fold(identity, "changed " + _.name)) ==
      Seq("id", "size", "list", "changed v", "changed n"))
    assert(all.written.fieldNames.toSeq == Seq("id", "size", "list", "v"))
  }

  test("a renamed, dropped or widened field needs new files, which are read by the old names") {
    val rename = changed(TableChange.renameColumn(path("size.w"), "width"))
    assert(rename.lost(columns) == Seq("size"))
    assert(rename.written("size").dataType.catalogString == "struct<width:int,h:int>")
    assert(rename.read("size").dataType == size)
    assert(lost(TableChange.deleteColumn(path("list.element.h"), false)) == Seq("list"))
    val wide = changed(TableChange.updateColumnType(path("size.h"), LongType))
    assert(wide.lost(columns) == Seq("size"))
    assert(wide.read("size").dataType.catalogString == "struct<w:int,h:bigint>")
    val other = changed(TableChange.renameColumn(path("size"), "box"))
    assert(other.read.fieldNames.toSeq == columns.fieldNames.toSeq)
    assert(other.written.fieldNames.toSeq == Seq("id", "box", "list", "v"))
  }
}
