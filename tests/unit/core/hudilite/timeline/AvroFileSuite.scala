package hudilite.timeline

import java.lang.ref.WeakReference

import org.apache.avro.Schema
import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

class AvroFileSuite extends AnyFunSuite {
  private val path = new Path("20260101000000000.commit")

  private val file = {
    val schema = AvroFile.schema("Named").requiredString("name").endRecord
    AvroFile.bytes(AvroFile.record(schema, "name" -> "a"))
  }

  test("nothing of a file that was read stays in memory") {
    val schemas = Vector.fill(200) {
      val Vector(record) = AvroFile.records(file, path): @unchecked
      assert(record.get("name").toString == "a")
      new WeakReference[Schema](record.getSchema)
    }
    val deadline = System.nanoTime + 20_000_000_000L
    while (schemas.dropRight(1).exists(_.get != None.orNull) && System.nanoTime < deadline)
      System.gc()
    assert(schemas.dropRight(1).count(_.get != None.orNull) == 0)
  }
}
