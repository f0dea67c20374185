package hudilite.format

import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.FilterRule.{Always, AsBefore, Never}

class FilterRuleSuite extends AnyFunSuite {

  private def rule(index: IndexKind, stated: Option[String] = None): FilterRule = {
    val created =
      TableConfig.forCreate("q", None, Seq("id"), Nil, Nil, "{}", index, "u-1").properties
    TableConfig(created ++ stated.map(TableConfig.Key.bloomFilters -> _)).filterRule
  }

  private val buckets = IndexKind.Bucket(4, Seq("id"))

  test("a table with a bloom index has filters, whatever its property says") {
    Seq(None, Some("true"), Some("false")).foreach { stated =>
      assert(rule(IndexKind.Bloom, stated) == Always)
    }
  }

  test("the property of a table with buckets decides") {
    assert(rule(buckets, Some(" TRUE ")) == Always)
    assert(rule(buckets, Some("False")) == Never)
    assert(rule(buckets) == AsBefore)
  }

  test("only without the property does the file before matter") {
    val asked = Seq(Always, AsBefore, Never).map(rule =>
      (rule.asksFor(hadOne = true), rule.asksFor(hadOne = false))
    )
    assert(asked == Seq((true, true), (true, false), (false, false)))
    assert(Always.asksFor(fail("the old file is read")))
    assert(!Never.asksFor(fail("the old file is read")))
  }
}
