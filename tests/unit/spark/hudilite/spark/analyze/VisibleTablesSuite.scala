package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.CommandExecutionMode
import org.apache.spark.sql.execution.datasources.v2.{
  DataSourceV2Relation,
  DataSourceV2ScanRelation
}

import hudilite.spark.SparkSuite

/** What a plug-in that guards tables sees: plans, in which every table has its identifier. */
class VisibleTablesSuite extends SparkSuite {

  /** Tables in a plan: its nodes, and what they hold as Spark's own writes hold their target. */
  private def tables(plan: LogicalPlan): Set[String] = plan.collectWithSubqueries { case node =>
    (node +: node.productIterator.toSeq).collect {
      case r: DataSourceV2Relation => r.identifier.filter(_ => r.catalog.nonEmpty).map(_.name)
      case r: DataSourceV2ScanRelation => r.relation.identifier.map(_.name)
      case r: ResolvedTable => Some(r.identifier.name)
    }.flatten
  }.flatten.toSet

  private def optimized(text: String): LogicalPlan = {
    val parsed = spark.sessionState.sqlParser.parsePlan(text)
    spark.sessionState.executePlan(parsed, CommandExecutionMode.SKIP).optimizedPlan
  }

  private val merge = "MERGE INTO kept t USING (SELECT * FROM source) s ON t.id = s.id "

  private val statements = Seq(
    "SELECT * FROM kept JOIN source USING (id)",
    "SELECT * FROM kept WHERE id IN (SELECT id FROM source)",
    "INSERT INTO kept SELECT * FROM source",
    "INSERT OVERWRITE kept SELECT * FROM source",
    s"$merge WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    s"$merge WHEN MATCHED THEN DELETE WHEN NOT MATCHED BY SOURCE THEN DELETE",
    "UPDATE kept SET v = 'x' WHERE id IN (SELECT id FROM source)",
    "DELETE FROM kept WHERE id IN (SELECT id FROM source)"
  )

  private val commands = Seq(
    "DELETE FROM kept WHERE p = 'a'",
    "TRUNCATE TABLE kept",
    "ALTER TABLE kept ADD COLUMN (w INT)",
    "ALTER TABLE kept DROP IF EXISTS PARTITION (p = 'a')",
    "DESCRIBE TABLE kept",
    "SHOW TBLPROPERTIES kept"
  )

  // F93
  test("each statement shows its target and its sources with their identifiers") {
    Seq("kept", "source").foreach { name =>
      sql(s"CREATE TABLE $name (id INT PRIMARY KEY, v STRING, p STRING) USING hudilite " +
        "PARTITIONED BY (p) WITH BUCKETS 2")
    }
    statements.foreach { text =>
      assert(tables(analyzed(text)) == Set("kept", "source"), text)
      assert(tables(optimized(text)) == Set("kept", "source"), text)
    }
    commands.foreach(text => assert(tables(analyzed(text)).contains("kept"), text))
  }
}
