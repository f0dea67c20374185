package hudilite.spark.read

import java.util.concurrent.atomic.AtomicInteger

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.StructType

import hudilite.format.{PartitionPath, TableConfig}
import hudilite.view.TableSnapshot

/** Partitions that remain after filters are applied to their paths.
  * @param kept   relative paths of the remaining partitions
  * @param pruned number of the other partitions */
final case class KeptPartitions(kept: Seq[String], pruned: Int) {

  /** Whether the paths alone prove that a predicate is true for all rows of the kept partitions. */
  def areAll(condition: Expression, config: TableConfig, schema: StructType): Boolean =
    PartitionPruning.decide(config, schema, condition).exists { decide =>
      kept.forall { partition =>
        PartitionPath.decode(partition, config).exists(values =>
          Try(decide(values)).toOption.flatten.contains(true) // an error must come from a row
        )
      }
    }
}

object KeptPartitions {

  /** Lists the partitions on the driver.
    * @param filters predicates that are all true for a wanted row */
  def of(snapshot: TableSnapshot, schema: StructType, filters: Seq[Expression]): KeptPartitions = {
    val pruned = new AtomicInteger
    val keep = PartitionPruning.keep(snapshot.config, schema, filters)
    val kept = snapshot.partitions { values =>
      val isKept = keep.forall(_(values))
      if (!isKept) pruned.incrementAndGet()
      isKept
    }
    KeptPartitions(kept, pruned.get)
  }
}
