package hudilite.spark.parse

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.UnresolvedIdentifier
import org.apache.spark.sql.catalyst.plans.logical.{
  CreateTable,
  LogicalPlan,
  UnresolvedTableSpec,
  V2CreateTablePlan
}
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.connector.expressions.{
  Expressions,
  Literal,
  NamedReference,
  Transform
}

import hudilite.spark.error.AnalysisErrors

/** Adds the buckets of one CREATE TABLE to its plan. WITH BUCKETS n ON (k) and Spark's own
  * CLUSTERED BY (k) INTO n BUCKETS mean the same. */
private[parse] object BucketsOf {
  private val count = "hoodie.bucket.index.num.buckets"
  private val columns = "hoodie.bucket.index.hash.field"

  /** @return the plan with one bucket transform. Spark accepts no transforms without a column list;
    *         the buckets of such a statement become table properties under Hudi's names
    * Errors: HUDILITE_PROPERTY_CONFLICT if both clauses are given and differ,
    * HUDILITE_UNSUPPORTED_CLAUSE for SORTED BY. */
  def apply(create: V2CreateTablePlan, clause: Option[BucketsClause]): LogicalPlan = {
    val (own, others) = create.partitioning.partition(_.name.endsWith("bucket"))
    own.find(_.name != "bucket").foreach { sorted =>
      throw AnalysisErrors.of(
        "HUDILITE_UNSUPPORTED_CLAUSE",
        "clause" -> s"SORTED BY in ${sorted.describe}",
        "table" -> nameOf(create),
        "fix" -> "Remove SORTED BY: files are always sorted by the record key."
      )
    }
    val asked = (clause.map(transform).toSeq ++ own).distinct
    asked.drop(1).find(other => !isSame(asked.head, other)).foreach { other =>
      throw conflict(asked.head, other)
    }
    create match {
      case plan: CreateTable if plan.columns.isEmpty && asked.nonEmpty =>
        asProperties(plan.withPartitioning(others), asked.head)
      case plan => if (own.isEmpty && asked.isEmpty) plan
        else plan.withPartitioning(others ++ asked.headOption)
    }
  }

  private def asProperties(plan: LogicalPlan, asked: Transform): LogicalPlan = plan match {
    case create @ CreateTable(_, _, _, spec: UnresolvedTableSpec, _) =>
      val names = hashed(asked)
      val buckets = Map(count -> countOf(asked).mkString) ++
        Option.when(names.nonEmpty)(columns -> names.mkString(","))
      buckets.foreach { case (key, value) =>
        spec.properties.get(key).filter(_.trim != value).foreach { other =>
          throw conflict(key, value, other)
        }
      }
      create.copy(tableSpec = spec.copy(properties = spec.properties ++ buckets))
    case other => other
  }

  /** Whether two clauses agree. A clause without ON hashes all key columns; the other clause may
    * name these, so it agrees with any columns here. */
  private def isSame(one: Transform, other: Transform): Boolean =
    countOf(one) == countOf(other) && (hashed(one).isEmpty || hashed(other).isEmpty ||
      hashed(one).map(_.toLowerCase).toSet == hashed(other).map(_.toLowerCase).toSet)

  private def countOf(bucket: Transform): Option[String] =
    bucket.arguments.collectFirst { case n: Literal[_] => n.value.toString }

  private def hashed(bucket: Transform): Seq[String] =
    bucket.arguments.toSeq.collect { case r: NamedReference => r.fieldNames.mkString(".") }

  private def conflict(one: Transform, other: Transform): AnalysisException =
    conflict("WITH BUCKETS", one.describe, other.describe)

  private def conflict(key: String, declared: String, asked: String): AnalysisException =
    AnalysisErrors.of(
      "HUDILITE_PROPERTY_CONFLICT",
      "key" -> key,
      "declared" -> declared,
      "asked" -> asked
    )

  private def nameOf(create: V2CreateTablePlan): String = create.name match {
    case UnresolvedIdentifier(nameParts, _) => nameParts.mkString(".")
    case other => other.nodeName
  }

  private def transform(clause: BucketsClause): Transform =
    Expressions.bucket(clause.numBuckets, clause.columns.map(quoteIdentifier): _*)

}
