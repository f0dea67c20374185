package hudilite.procedures

import org.scalatest.funsuite.AnyFunSuite

class NameListSuite extends AnyFunSuite {

  test("names are separated by commas outside of back-ticks") {
    assert(NameList.parse("a, b") == Some(Seq(Seq("a"), Seq("b"))))
    assert(NameList.parse(" `a,b` ,c") == Some(Seq(Seq("a,b"), Seq("c"))))
    assert(NameList.parse("`a``,``b`, `c d`") == Some(Seq(Seq("a`,`b"), Seq("c d"))))
    assert(NameList.parse("event-id, order id") == Some(Seq(Seq("event-id"), Seq("order id"))))
  }

  test("dots outside of back-ticks separate the parts of a name") {
    assert(NameList.parse("s.x") == Some(Seq(Seq("s", "x"))))
    assert(NameList.parse("`s.x`") == Some(Seq(Seq("s.x"))))
    assert(NameList.parse("`s`.`x.y`") == Some(Seq(Seq("s", "x.y"))))
  }

  test("empty names and back-ticks within a part are no names") {
    Seq("", "a,", ",a", "a,,b", "``", "`a", "a`b", "`a`b`", "`a` `b`").foreach { text =>
      assert(NameList.parse(text).isEmpty, text)
    }
  }
}
