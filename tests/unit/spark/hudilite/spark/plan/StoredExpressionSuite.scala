package hudilite.spark.plan

import org.apache.spark.sql.catalyst.expressions.Literal

import hudilite.spark.SparkSuite

/** Texts of expressions that mean the same in every session. */
class StoredExpressionSuite extends SparkSuite {
  private val escaped = "spark.sql.parser.escapedStringLiterals" -> "true"
  private val consecutive = "spark.sql.legacy.consecutiveStringLiterals.enabled" -> "true"

  private val quoted = Seq(
    "spark.sql.ansi.enabled" -> "true",
    "spark.sql.ansi.doubleQuotedIdentifiers" -> "true"
  )

  private def check(stated: String, stored: String): Unit = {
    assert(StoredExpression.stored(stated) == stored)
    val inSession = StoredExpression.parsed(stored).collect { case literal: Literal => literal }
    assert(inSession == spark.sessionState.sqlParser.parseExpression(stated).collect {
      case literal: Literal => literal
    })
  }

  test("by default a text is stored as it is") {
    Seq("v <> 'a\\\\b'", "v <> 'it''s'", "v <> r'\\d'", "'a' 'b' = \"c\\n\"").foreach(text =>
      check(text, text)
    )
  }

  test("literals that the session reads in another way are written anew") {
    withConf(escaped) {
      check("v <> 'a\\b' AND w > 'b'", "v <> 'a\\\\b' AND w > 'b'")
      check("v = '😀\\a' || '\\d'", "v = '😀\\\\a' || '\\\\d'")
      check("v = \"it's\" OR v = 'it\\'s'", "v = \"it's\" OR v = 'it\\\\\\'s'")
      check("v IN ('a' '\\n', 'b')", "v IN ('a\\\\n', 'b')")
      // Spark reads the text of ESCAPE in the same way in every session.
      check("v LIKE 'a' ESCAPE '\\\\'", "v LIKE 'a' ESCAPE '\\\\'")
    }
    withConf(consecutive)(check("v = 'two''s'", "v = 'twos'"))
  }

  test("names in double quotes are written in back quotes") {
    withConf(quoted: _*) {
      check("\"v\" > '\"'", "`v` > '\"'")
      check(
        "\"a \"\"b\"\" `c`\" = r\"d\" AND '😀' < \"s\".\"x\"",
        "`a \"b\" ``c``` = r\"d\" AND '😀' < `s`.`x`"
      )
      withConf(escaped)(check("\"v\" <> 'a\\b'", "`v` <> 'a\\\\b'"))
      assert(StoredExpression.parsed("\"v\"") == Literal("v"))
    }
    withConf("spark.sql.ansi.enabled" -> "false", quoted.last)(check("v > \"w\"", "v > \"w\""))
  }

  test("a stored text has one value") {
    val text = "'a\\\\b''c'"
    val value = StoredExpression.parsed(text)
    assert(value == Literal("a\\b'c"))
    Seq(Seq(escaped), Seq(consecutive), Seq(escaped, consecutive)).foreach { settings =>
      withConf(settings: _*)(assert(StoredExpression.parsed(text) == value))
    }
  }
}
