package hudilite.spark.read

import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.TableConfig

/** Record keys that are computed from the key columns. */
class VirtualKeysSuite extends AnyFunSuite {
  import LogBlocks._

  private val read = StructType.fromDDL("i INT, _hoodie_record_key STRING, s STRING")

  private def keys(of: VirtualKeys): Seq[String] =
    texts(of.completed(ofParquet(parquet, read, rows = 2), read), read).map(_(1))

  test("the record key of each row of several batches is that of the key generator") {
    assert(keys(VirtualKeys(Seq("i"), complex = false)) == Seq("-7", "100", "3", "null"))
    val whole =
      Seq("s:añ,i:-7", "s:__empty__,i:100", s"s:${"x" * 100},i:3", "s:__null__,i:__null__")
    assert(keys(VirtualKeys(Seq("s", "i"), complex = true)) == whole)
  }

  test("rows whose record keys are not read stay as they are") {
    val rows = ofParquet(parquet, read)
    assert(VirtualKeys(Seq("i"), complex = false).completed(rows, StructType(Nil)) eq rows)
    rows.close()
  }

  test("a rule is known only if the record key follows from columns of the table") {
    val columns = StructType.fromDDL("i INT, s STRING, d DATE")
    def rule(keys: String, more: (String, String)*) = VirtualKeys.of(
      TableConfig(Map("hoodie.table.recordkey.fields" -> keys) ++ more),
      columns
    )
    assert(rule("i").contains(VirtualKeys(Seq("i"), complex = false)))
    assert(rule("i,s").contains(VirtualKeys(Seq("i", "s"), complex = true)))
    assert(rule("") == None && rule("d") == None && rule("place.city") == None)
    assert(rule("i", "hoodie.table.keygenerator.class" -> "com.example.Other") == None)
    assert(rule("i", "hoodie.table.partition.fields" -> "s,d") == None)
  }
}
