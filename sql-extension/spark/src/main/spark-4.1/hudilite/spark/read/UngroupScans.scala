package hudilite.spark.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.catalyst.util.InternalRowComparableWrapper
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.joins.StoragePartitionJoinParams
import org.apache.spark.sql.types.DataType

/** Physical plan rule that splits a read by size if no operator of its stage requires its
  * partitioning by bucket, because a task for each bucket has a cost. Runs on the driver.
  *
  * Spark 4.1 passes the common partition keys of two joined reads to all reads below the join, also
  * to those below a broadcast. These would then skip their input partitions with other keys, so the
  * rule gives such reads all their partition keys back.
  */
object UngroupScans extends StageReads {

  override protected def replaceUngrouped(read: BatchScanExec): SparkPlan =
    scanOf(read).flatMap(_.withoutGroups) match {
      case Some(cut) => as(read, cut, StoragePartitionJoinParams())
      case None if read.spjParams.commonPartitionValues.isEmpty => read
      case None =>
        val own = StoragePartitionJoinParams(read.spjParams.keyGroupedPartitioning)
        as(read, read.scan, own)
    }

  override protected def replaceGrouped(all: Seq[BatchScanExec]): BatchScanExec => SparkPlan =
    if (all.exists(lacks)) whole(_, all) else identity

  /** Whether the partition keys that Spark has passed to a read lack some of its own keys. */
  private def lacks(read: BatchScanExec): Boolean =
    isPlain(read.spjParams) && read.spjParams.commonPartitionValues.exists { passed =>
      val known = passed.map { case (key, _) => comparable(read, key) }.toSet
      keys(read).exists(!known(_))
    }

  /** Returns the read with the partition keys of all reads that it may be joined with. */
  private def whole(read: BatchScanExec, others: Seq[BatchScanExec]): SparkPlan =
    if (read.spjParams.commonPartitionValues.isEmpty || !isPlain(read.spjParams)) read
    else {
      val types = typesOf(read)
      val order = RowOrdering.createNaturalAscendingOrdering(types)
      val all = others.filter(typesOf(_) == types).flatMap(keys).distinct.map(_.row).sorted(order)
      val params = read.spjParams.copy(commonPartitionValues = Some(all.map(_ -> 1)))
      as(read, read.scan, params)
    }

  private def isPlain(params: StoragePartitionJoinParams): Boolean =
    !params.applyPartialClustering && params.joinKeyPositions.isEmpty && params.reducers.isEmpty

  private def keys(read: BatchScanExec): Seq[InternalRowComparableWrapper] =
    scanOf(read).filter(_ => typesOf(read).nonEmpty).toSeq
      .flatMap(_.groupKeys)
      .map(comparable(read, _))

  private def comparable(read: BatchScanExec, key: InternalRow): InternalRowComparableWrapper =
    InternalRowComparableWrapper(key, read.keyGroupedPartitioning.getOrElse(Nil))

  private def typesOf(read: BatchScanExec): Seq[DataType] =
    read.keyGroupedPartitioning.getOrElse(Nil).map(_.dataType)

  private def as(
      read: BatchScanExec,
      scan: Scan,
      params: StoragePartitionJoinParams
  ): BatchScanExec = {
    val made = read.copy(scan = scan, spjParams = params)
    made.copyTagsFrom(read)
    made
  }
}
