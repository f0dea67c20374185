package hudilite.spark.read

import java.util.concurrent.atomic.AtomicInteger

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.StructType

import hudilite.format.{PartitionPath, TableConfig}
import hudilite.view.TableSnapshot

/** Partitions that filters leave.
  * @param kept   relative paths
  * @param pruned number of the others */
final case class KeptPartitions(kept: Seq[String], pruned: Int) {

  /** Whether their paths alone tell that a predicate is true for all their rows. */
  def areAll(condition: Expression, config: TableConfig, schema: StructType): Boolean =
    PartitionPruning.decide(config, schema, condition).exists { decide =>
      kept.forall { partition =>
        PartitionPath.decode(partition, config).exists(values =>
          Try(decide(values)).toOption.flatten.contains(true) // an error is a row's to raise
        )
      }
    }
}

object KeptPartitions {

  /** Lists the partitions. Runs on the driver.
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
