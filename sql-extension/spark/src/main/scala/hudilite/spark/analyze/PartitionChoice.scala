package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import hudilite.format.PartitionPath
import hudilite.spark.plan.Replacement
import hudilite.spark.read.PartitionPruning

/** Which partitions a predicate takes whole. */
private[analyze] object PartitionChoice {

  /** @return nothing when a partition may hold rows of both kinds: when the predicate needs other
    *         columns, or tells null from the empty text in the folder that they share */
  def of(target: HudiliteTarget, condition: Expression): Option[Replacement] = condition match {
    case Literal.TrueLiteral => Some(Replacement.all)
    case _ =>
      val table = target.table
      val config = table.config
      PartitionPruning
        .decide(config, table.schema, condition)
        .filter { decide =>
          table.snapshot.partitions().forall { partition =>
            PartitionPath
              .decode(partition, config.partitionFields, config.hiveStyle, config.urlEncode)
              .flatMap(decide)
              .nonEmpty
          }
        }
        .map(_ => Replacement.Where(condition))
  }
}
