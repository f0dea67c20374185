package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.classic.SparkSession

import hudilite.format.PartitionPath
import hudilite.spark.plan.Replacement
import hudilite.spark.read.{PartitionFilter, PartitionPruning}

/** Converts a predicate that selects whole partitions to a Replacement. */
private[analyze] object PartitionChoice {

  /** @return None when a partition may have both matching and other rows: when the predicate needs
    *         other columns, or distinguishes null from the empty text, which share a folder */
  def of(target: HudiliteTarget, condition: Expression): Option[Replacement] = condition match {
    case Literal.TrueLiteral => Some(Replacement.all)
    case _ =>
      val table = target.table
      val config = table.config
      val plain =
        PartitionFilter.evaluable(SparkSession.active, condition, LocalRelation(target.columns))
      PartitionPruning
        .decide(config, table.schema, plain)
        .filter { decide =>
          def mayMatch(values: Seq[Option[String]]) = !decide(values).contains(false)
          table.snapshot.partitions(mayMatch, mayMatch).forall { partition =>
            PartitionPath.decode(partition, config).flatMap(decide).nonEmpty
          }
        }
        .map(_ => Replacement.Where(plain))
  }
}
