package hudilite.error

import org.scalatest.funsuite.AnyFunSuite

final class SuggestionSuite extends AnyFunSuite {
  private val many = Seq("primaryKey", "orderingFields", "buckets", "type", "hoodie.table.name")

  test("a name that differs in some letters suggests the valid one") {
    assert(Suggestion.of("PrimaryKye", many).contains("primaryKey"))
    assert(Suggestion.of("hoodie.table.nmae", many).contains("hoodie.table.name"))
    assert(Suggestion.of("typ", many).contains("type"))
  }

  test("a name that is similar to none suggests none of many") {
    val text = Suggestion.of("hoodie.write.lock.zookeeper.url", many)
    assert(many.forall(!text.contains(_)))
  }

  test("a name that is similar to none of few lists them") {
    val text = Suggestion.of("something", Seq("mor", "cow"))
    assert(text.contains("cow or mor"))
  }
}
