package hudilite.spark.write

import org.scalatest.funsuite.AnyFunSuite

class SequenceNumbersSuite extends AnyFunSuite {

  test("numbers go from 0 on, with as many digits as they need") {
    val numbers = new SequenceNumbers("20260102030405678", 12)
    val found = Seq.fill(10012)(numbers.next().toString)
    assert(found == Seq.tabulate(10012)(n => s"20260102030405678_12_$n"))
  }
}
