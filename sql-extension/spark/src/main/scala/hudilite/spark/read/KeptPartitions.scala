package hudilite.spark.read

import java.util.concurrent.atomic.AtomicInteger

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.StructType

import hudilite.format.{PartitionPath, TableConfig}
import hudilite.view.TableSnapshot

/** Partitions that remain after filters are applied to their paths.
  * @param kept   relative paths of the remaining partitions
  * @param pruned number of the other partitions, as far as the commits and the listed folders show
  *               them */
final case class KeptPartitions(kept: Seq[String], pruned: Int) {

  /** Number of all partitions, as far as they are known. */
  def all: Int = kept.size + pruned

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
  def of(snapshot: TableSnapshot, schema: StructType, filters: Seq[Expression]): KeptPartitions =
    of(snapshot, PartitionPruning.keep(snapshot.config, schema, filters).getOrElse(_ => true))

  /** Lists the partitions on the driver. Folders of other partitions are not opened. */
  def of(snapshot: TableSnapshot, keep: PartitionPruning.Keep): KeptPartitions = {
    val pruned = new AtomicInteger
    def isKept(values: Seq[Option[String]]) = {
      val answer = keep(values)
      if (!answer) pruned.incrementAndGet(): Unit
      answer
    }
    val kept = snapshot.partitions(isKept, keep)
    KeptPartitions(kept, pruned.get)
  }
}
