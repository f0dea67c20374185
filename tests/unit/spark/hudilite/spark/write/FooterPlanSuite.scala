package hudilite.spark.write

import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.FilterRule.{Always, AsBefore, Never}
import hudilite.format.{FilterRule, FooterKey}
import hudilite.index.{BloomFilter, KeyFooter, KeyRange}

class FooterPlanSuite extends AnyFunSuite {
  private val schema = "{}"

  private def text(key: String): UTF8String = UTF8String.fromString(key)

  /** Returns the footer of a file after a plan.
    * @param keys keys that are added */
  private def footer(plan: FooterPlan, keys: String*): Map[String, String] = {
    val collector = new FooterKeys(plan, schema, "SIMPLE")
    keys.foreach(key => collector.add(text(key)))
    collector.footer(rows = 1)
  }

  private def all(rule: FilterRule, hadFilter: Boolean = false): FooterPlan =
    FooterPlan.ofAllKeys(rule, hadFilter)

  private val filtered = footer(all(Always), "b", "d")
  private val plain = footer(all(Never), "b", "d")

  private def old(
      pairs: Map[String, String],
      columns: Option[(String, String)] = None
  ): OldFooterKeys = OldFooterKeys(pairs, rows = 2,
    columns.map { case (min, max) => KeyRange(text(min), text(max)) }, "/t/old.parquet")

  private def filter(pairs: Map[String, String]): Option[BloomFilter] =
    KeyFooter.storedFilter(pairs, "/t/new.parquet")

  private def has(pairs: Map[String, String], key: String): Boolean =
    filter(pairs).exists(_.mightContain(text(key)))

  test("a first file has a filter only if the table says so, and always a range") {
    assert(Seq(Always, AsBefore, Never).map(rule => filter(footer(all(rule), "b")).nonEmpty) ==
      Seq(true, false, false))
    assert(filter(footer(all(AsBefore, hadFilter = true), "b")).nonEmpty)
    assert(plain == Map(
      FooterKey.minKey -> "b",
      FooterKey.maxKey -> "d",
      FooterKey.sorted -> FooterKey.byRecordKey,
      FooterKey.avroSchema -> schema
    ))
  }

  test("a file without a filter needs no old keys, and the next one has none either") {
    val plan = FooterPlan.of(AsBefore, old(plain))
    assert(!plan.needsAllKeys)
    assert(footer(plan, "a", "c") == plain + (FooterKey.minKey -> "a"))
  }

  test("a filter is extended by the new keys, and copied without any") {
    Seq(Always, AsBefore).foreach { rule =>
      val plan = FooterPlan.of(rule, old(filtered))
      assert(!plan.needsAllKeys)
      assert(footer(plan) == filtered)
      val next = footer(plan, "e")
      assert(Seq("b", "d", "e").forall(has(next, _)) && !has(next, "f"))
      assert(KeyFooter.bounds(next).contains(("b", "e")))
    }
  }

  test("a filter is left out where the table says so, and its file's keys are not needed") {
    val plan = FooterPlan.of(Never, old(filtered))
    assert(!plan.needsAllKeys)
    assert(footer(plan) == plain)
  }

  test("a table that asks for filters gets one from all keys of a file without") {
    val plan = FooterPlan.of(Always, old(plain))
    assert(plan.needsAllKeys)
    assert(Seq("b", "d").forall(has(footer(plan, "b", "d"), _)))
  }

  test("a filter of another writer is made anew from all keys, as it has no checksum") {
    val foreign = filtered - FooterKey.bloomChecksum
    Seq(Always, AsBefore).foreach { rule =>
      val plan = FooterPlan.of(rule, old(foreign))
      assert(plan == FooterPlan(FooterPlan.OfAllKeys, None, needsAllKeys = true))
    }
    assert(!FooterPlan.of(Never, old(foreign)).needsAllKeys)
  }

  test("a file without filter and range gets its range from the statistics of its column") {
    val bare = old(Map.empty, Some(("b", "é")))
    assert(FooterPlan.of(AsBefore, bare) ==
      FooterPlan(FooterPlan.NoFilter, Some(("b", "é")), needsAllKeys = false))
  }

  test("bounds that have another place in Hudi's order are not those of the statistics") {
    val turned = Some(("b", "\ue000"))
    assert(FooterPlan.of(AsBefore, old(Map.empty, turned)) ==
      FooterPlan(FooterPlan.NoFilter, None, needsAllKeys = true))
    val known = Map(FooterKey.minKey -> "b", FooterKey.maxKey -> "\ue000")
    assert(FooterPlan.of(AsBefore, old(known, turned)).range.contains(("b", "\ue000")))
  }

  test("without statistics and pairs, the keys are read for the range alone") {
    val plan = FooterPlan.of(AsBefore, old(Map.empty))
    assert(plan.needsAllKeys)
    assert(footer(plan, "b", "d") == plain)
  }

  test("an empty file has no range and needs no keys") {
    Seq(Always -> filtered, AsBefore -> plain, Never -> plain).foreach { case (rule, pairs) =>
      val empty = old(pairs - FooterKey.minKey - FooterKey.maxKey).copy(rows = 0)
      val plan = FooterPlan.of(rule, empty)
      assert(!plan.needsAllKeys && plan.range.isEmpty)
    }
  }
}
