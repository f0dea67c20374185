package hudilite.error

import org.scalatest.funsuite.AnyFunSuite

import hudilite.RepositoryFile

class ConditionsSuite extends AnyFunSuite {
  private lazy val sources: String = RepositoryFile.mainSources

  test("conditions are sorted and unique") {
    assert(Conditions.all == Conditions.all.distinct.sorted)
  }

  test("every condition is a HUDILITE name with an SQLSTATE of five characters") {
    Conditions.all.foreach { condition =>
      assert(condition.matches("HUDILITE_[A-Z]+(_[A-Z]+)*"))
      assert(Conditions.sqlState(condition).matches("[0-9A-Z]{5}"), condition)
    }
  }

  test("every parameter of a text is one that some source gives") {
    val parameters = Conditions.all.flatMap(Conditions.parameters).distinct
    val python = RepositoryFile.pythonSources
    val missing =
      parameters.filterNot(p => sources.contains(s"\"$p\" ->") || python.contains(s"$p="))
    assert(missing.isEmpty)
  }

  test("every condition that a source names is in the file") {
    val named = "\"(HUDILITE_[A-Z_]+)\"".r.findAllMatchIn(sources).map(_.group(1)).toSet
    assert(named.nonEmpty && named.diff(Conditions.all.toSet).isEmpty)
  }

  test("a text is one line, ends as a sentence or with the fix, and neither begs nor shouts") {
    Conditions.all.foreach { condition =>
      val text = Conditions.template(condition)
      assert(text.matches("[A-Z<].*(\\.|<fix>)"), condition)
      assert(!text.matches("(?i).*(please|!).*"), condition)
    }
  }

  test("a text says what to do") {
    Conditions.all.foreach { condition =>
      val text = Conditions.template(condition)
      assert(text.endsWith("<fix>") || text.matches(".*[.;] ?[^.;]+\\."), condition)
    }
  }

  test("parameters are filled in as they are, and a missing one stays visible") {
    val message = Conditions.message("HUDILITE_PROPERTY_UNSUPPORTED", Map("key" -> "a$1\\b"))
    assert(message == "Property a$1\\b is not supported. <fix>")
  }

  test("every condition renders with all its parameters") {
    Conditions.all.foreach { condition =>
      val values = Conditions.parameters(condition).map(p => p -> s"[$p]").toMap
      val text = HudiliteException.text(condition, values)
      assert(text.startsWith(s"[$condition] ") && !text.contains('<'), condition)
      assert(text.endsWith(s"SQLSTATE: ${Conditions.sqlState(condition)}"))
    }
  }

  test("a name outside the file is a fault of the code") {
    val e = intercept[IllegalArgumentException](Conditions.message("HUDILITE_NOPE", Map.empty))
    assert(e.getMessage.startsWith("INTERNAL"))
  }
}
