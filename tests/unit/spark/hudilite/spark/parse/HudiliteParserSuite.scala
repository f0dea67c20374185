package hudilite.spark.parse

import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.{
  CompoundBody,
  CreateTable,
  CreateTableAsSelect,
  LogicalPlan,
  SingleStatement,
  V2CreateTablePlan
}
import org.apache.spark.sql.execution.command.ExplainCommand

import hudilite.spark.SparkSuite

class HudiliteParserSuite extends SparkSuite {

  private def parsed(text: String): LogicalPlan = spark.sessionState.sqlParser.parsePlan(text)

  private def partitioning(plan: LogicalPlan): Seq[String] = plan match {
    case create: V2CreateTablePlan => create.partitioning.map(_.describe)
    case explain: ExplainCommand => partitioning(explain.logicalPlan)
    case other => fail(other.toString)
  }

  test("the clause becomes a bucket transform") {
    val plan = parsed(
      "CREATE TABLE t (id INT, p INT) USING hudilite PARTITIONED BY (p) WITH BUCKETS 4 ON (id)"
    )
    assert(plan.isInstanceOf[CreateTable])
    assert(partitioning(plan) == Seq("p", "bucket(4, id)"))
  }

  test("the clause is understood in EXPLAIN and CREATE TABLE AS SELECT") {
    val ctas = "CREATE TABLE t USING hudilite WITH BUCKETS 4 AS SELECT 1 AS id"
    assert(parsed(ctas).isInstanceOf[CreateTableAsSelect])
    assert(partitioning(parsed(ctas)) == Seq("bucket(4)"))
    assert(partitioning(parsed(s"EXPLAIN EXTENDED $ctas")) == Seq("bucket(4)"))
  }

  test("each statement of a script gets its own clause and keeps its handler") {
    val script = parsed("""BEGIN
      DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN
        CREATE TABLE h (id INT) USING hudilite WITH BUCKETS 9;
      END;
      CREATE TABLE a (id INT) USING parquet;
      CREATE TABLE b (id INT) USING hudilite WITH BUCKETS 2;
    END""").asInstanceOf[CompoundBody]
    def buckets(body: CompoundBody) = body.collection.collect { case SingleStatement(plan) =>
      partitioning(plan)
    }
    assert(buckets(script) == Seq(Nil, Seq("bucket(2)")))
    assert(script.handlers.map(h => buckets(h.body)) == Seq(Seq(Seq("bucket(9)"))))
  }

  test("variables are replaced in the clause and parameters beside it") {
    val create = "CREATE TABLE marker_t (id INT PRIMARY KEY) USING hudilite WITH BUCKETS"
    spark.sql(s"$create 3 COMMENT :c", Map("c" -> "with buckets 9"))
    assert(sql("DESCRIBE EXTENDED marker_t").collect().exists(_.toString.contains("bucket(3")))
    assertFault("HUDILITE_BUCKET_COUNT_INVALID", "value" -> ":n") {
      spark.sql(s"$create :n", Map("n" -> 3))
    }
    spark.sql("SET hudilite.test.n = 5")
    assert(partitioning(parsed(create + " $" + "{hudilite.test.n}")) == Seq("bucket(5)"))
    sql("CREATE TABLE IDENTIFIER('by_' || 'name') (id INT PRIMARY KEY) USING hudilite " +
      "WITH BUCKETS 4")
    assert(sql("DESCRIBE EXTENDED by_name").collect().exists(_.toString.contains("bucket(4")))
  }

  test("a script with parameters attaches the clause to its statement or refuses it") {
    val script = "BEGIN DECLARE x STRING DEFAULT :v; CREATE TABLE script_t (id INT PRIMARY KEY) " +
      "USING hudilite WITH BUCKETS 6; END"
    assertFault("HUDILITE_UNSUPPORTED_STATEMENT")(spark.sql(script, Map("v" -> "longer")))
    spark.sql(script.replace(":v", "'v'"))
    assert(sql("DESCRIBE EXTENDED script_t").collect().exists(_.toString.contains("bucket(6")))
  }

  test("the clause without hudilite is refused") {
    assertFault("HUDILITE_BUCKETS_WITHOUT_PROVIDER", "provider" -> "parquet") {
      parsed("CREATE TABLE t (id INT) USING parquet WITH BUCKETS 4")
    }
    assertFault("HUDILITE_BUCKETS_WITHOUT_PROVIDER") {
      parsed("CREATE TABLE t (id INT) WITH BUCKETS 4")
    }
  }

  test("Spark's own ways to name buckets are the same clause") {
    val create = "CREATE TABLE t (id INT) USING hudilite"
    val own = partitioning(parsed(s"$create WITH BUCKETS 4 ON (id)"))
    Seq("CLUSTERED BY (id) INTO 4 BUCKETS", "PARTITIONED BY (bucket(4, id))").foreach { clause =>
      assert(partitioning(parsed(s"$create $clause")) == own)
      assert(partitioning(parsed(s"$create WITH BUCKETS 4 $clause")).size == 1)
      assertFault("HUDILITE_PROPERTY_CONFLICT", "key" -> "WITH BUCKETS") {
        parsed(s"$create WITH BUCKETS 8 $clause")
      }
    }
    assertFault("HUDILITE_UNSUPPORTED_CLAUSE", "table" -> "t") {
      parsed(s"$create CLUSTERED BY (id) SORTED BY (id) INTO 4 BUCKETS")
    }
  }

  test("a syntax error elsewhere shows the statement as written, at its place") {
    val text = "CREATE TABLE t (id INT) USING hudilite WITH BUCKETS 4 SELEKT"
    val thrown = intercept[ParseException](parsed(text))
    assert(thrown.command.contains(text))
    assert(thrown.start.startPosition.contains(text.indexOf("SELEKT")))
  }
}
