package hudilite.format

import org.scalatest.funsuite.AnyFunSuite

class MadeKeySuite extends AnyFunSuite {

  test("only the end of a key begins with its separator") {
    assert(MadeKey.isEnd("_0_1".getBytes.head))
    assert(!MadeKey.isEnd("20240101000000000_0_1".getBytes.head))
  }

  test("a table without key columns has plain keys, which are sought nowhere") {
    val facts =
      TableConfig.forCreate("t", None, Nil, Seq("p", "q"), Nil, "{}", IndexKind.Bloom, "u")
    assert(facts.isKeyless && !facts.complexKey)
    assert(!facts.properties.contains(TableConfig.Key.recordKeyFields))
    assert(!facts.withGlobalIndex.seeksEverywhere)
    assert(TableConfig(facts.properties - TableConfig.Key.keyEncoding).isWritable)
  }
}
