package hudilite.error

import org.scalatest.funsuite.AnyFunSuite

class SettingsSuite extends AnyFunSuite {

  test("a default is one of the words that a setting may be") {
    val words = Settings.all.filter(key => Settings.values(key).matches("\\w+(, \\w+)+"))
    assert(words.size >= 5)
    words.foreach { key =>
      assert(Settings.values(key).split(", ").contains(Settings.default(key)), key)
    }
  }

  test("a key that is not in the list is not a setting") {
    assertThrows[IllegalArgumentException](Settings.default("spark.hudilite.nothing"))
  }
}
