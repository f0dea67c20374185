package hudilite.format

import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import hudilite.RandomText

class RecordKeySuite extends AnyFunSuite {
  private val noText = Option.empty[String].orNull
  private val fields = Array("id", "name")
  private val complex = new ComplexKey(fields)

  private def utf8(values: String*): Array[UTF8String] = values.map(UTF8String.fromString).toArray

  test("key columns are joined without escaping, null and empty as placeholders") {
    assert(RecordKey.complex(Seq("id"), Seq("1")) == "id:1")
    assert(RecordKey.complex(Seq("id", "name"), Seq("a:b", "c,d")) == "id:a:b,name:c,d")
    assert(RecordKey.complex(Seq("id", "name"), Seq(noText, "")) == "id:__null__,name:__empty__")
  }

  test("Spark's strings give the same text") {
    val random = new RandomText("RecordKeySuite")
    (1 to 500).foreach { _ =>
      val values = Seq(random.text(4), if (random.int(5) == 0) noText else random.text(4))
      val text = complex.of(utf8(values: _*)).toString
      assert(text == RecordKey.complex(fields.toSeq, values), s"seed ${random.seed}")
    }
  }

  // F79
  test("values that would let two keys share a text are found") {
    assert(complex.ambiguousColumn(utf8("1", "a:b,c=d")) == -1)
    assert(complex.ambiguousColumn(utf8("1,name:2", "3")) == 0)
    assert(complex.ambiguousColumn(utf8("1", "2,name:3")) == -1)
    assert(complex.ambiguousColumn(utf8("1", "__null__")) == 1)
    assert(complex.ambiguousColumn(utf8("__empty__", "1")) == 0)
  }

  test("unambiguous keys of equal text are equal") {
    val random = new RandomText("RecordKeySuite")
    val keys = Seq
      .fill(3000)(Seq(random.text(3), random.text(3)))
      .filter(values => complex.ambiguousColumn(utf8(values: _*)) == -1)
    val byText = keys.groupBy(values => RecordKey.complex(fields.toSeq, values))
    assert(byText.values.forall(_.distinct.size == 1), s"seed ${random.seed}")
  }
}
