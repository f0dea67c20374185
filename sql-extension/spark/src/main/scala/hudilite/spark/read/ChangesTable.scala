package hudilite.spark.read

import java.util

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.expressions.{Expression, Expressions}
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.connector.read.partitioning.{
  KeyGroupedPartitioning,
  Partitioning,
  UnknownPartitioning
}
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.types.{BooleanType, IntegerType, StringType, StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.spark.plan.MetaColumns
import hudilite.view.TableSnapshot

/** Relation over the rows before and after the steps of a range of commits: Hudi's meta columns, those of
  * the table, then [[ChangesTable.added]]. All rows that are compared with each other are in one input
  * partition.
  * @param columns  columns of the table
  * @param snapshot state after the last commit
  * @param instants instants of the range's commits, in their order
  * @param compared file slices to read */
private[read] final class ChangesTable(
    spark: SparkSession,
    override val name: String,
    columns: StructType,
    snapshot: TableSnapshot,
    instants: Seq[String],
    compared: Seq[ComparedSlices]
) extends Table
    with SupportsRead {

  override val schema: StructType = StructType(MetaColumns.before(columns) ++ ChangesTable.added)

  override def capabilities: util.Set[TableCapability] = util.EnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    new ScanBuilder with SupportsPushDownRequiredColumns {
      private var wanted = schema
      override def pruneColumns(required: StructType): Unit = wanted = required
      override def build(): Scan =
        new ChangesScan(spark, name, columns, snapshot, instants, compared, wanted)
    }
}

private[read] object ChangesTable {

  /** Number of the [[ComparedSlices]] that have the row. */
  val pair: StructField = StructField("_hudilite_pair", IntegerType, nullable = false)

  /** Number of the input partition that has the row. */
  val task: StructField = StructField("_hudilite_task", IntegerType, nullable = false)

  /** Instants of the step, with commas between them. */
  val times: StructField = StructField("_hudilite_times", StringType, nullable = false)

  /** Whether the row is one after the step. */
  val isAfter: StructField = StructField("_hudilite_is_after", BooleanType, nullable = false)

  /** Columns that are the same in all rows of a slice. */
  val added: Seq[StructField] = Seq(pair, task, times, isAfter)
}

/** Batch read of a [[ChangesTable]], planned on the driver.
  * @param readSchema columns to read */
private[read] final class ChangesScan(
    spark: SparkSession,
    tableName: String,
    columns: StructType,
    snapshot: TableSnapshot,
    instants: Seq[String],
    compared: Seq[ComparedSlices],
    override val readSchema: StructType
) extends Scan
    with Batch
    with SupportsReportStatistics
    with SupportsReportPartitioning {

  private val slices = compared.flatMap(_.slices.map(_.slice))

  /** Whether rows that are compared are in one input partition; otherwise Spark shuffles them. */
  private val isTogether = compared.forall(_.length <= ChangesScan.mostBytes)

  private lazy val tasks: Vector[Vector[ComparedSlices]] = {
    val all =
      if (isTogether) compared
      else compared.flatMap(of => of.slices.map(slice => of.copy(slices = Seq(slice))))
    val cost = spark.sessionState.conf.filesOpenCostInBytes
    val bytes = slices.map(_.dataLength + cost).sum
    val most = (bytes / FilePartition.maxSplitBytes(spark, bytes) + 1).min(all.size.toLong)
    if (all.isEmpty) Vector.empty else ComparedSlices.distributed(all, most.toInt, cost)
  }

  override def description(): String = {
    val logs = slices.map(_.logs.size).sum
    val parts =
      Seq(s"commits ${compared.map(_.instants).distinct.size}", s"files ${slices.size}") ++
        Option.when(logs > 0)(s"log files $logs")
    s"hudilite changes of $tableName [${parts.mkString(", ")}]"
  }

  override def outputPartitioning(): Partitioning =
    if (!isTogether || tasks.isEmpty) new UnknownPartitioning(tasks.size)
    else
      new KeyGroupedPartitioning(
        Array[Expression](Expressions.identity(ChangesTable.task.name)),
        tasks.size
      )

  override def toBatch: Batch = this

  override def planInputPartitions(): Array[InputPartition] =
    tasks.zipWithIndex.map { case (of, n) =>
      ChangesPartition(of, if (isTogether) n else 0)
    }.toArray

  override def createReaderFactory(): PartitionReaderFactory = {
    val added = ChangesTable.added.map(_.name).toSet
    val stored = StructType(readSchema.filterNot(field => added(field.name)))
    val readers = SliceReader.factory(
      spark,
      snapshot.config,
      MetaColumns.before(columns),
      stored,
      Array.empty,
      logs = Option.when(slices.exists(!_.isOnlyBase))(snapshot),
      inVectors = true
    )
    new ChangesReaders(readers, readSchema, instants.toVector, snapshot.view)
  }

  override def estimateStatistics(): Statistics = {
    val share = readSchema.defaultSize.toDouble / MetaColumns.before(columns).defaultSize
    val bytes = slices.map(_.dataLength).sum
    val estimate = bytes * share * spark.sessionState.conf.fileCompressionFactor
    ScanStatistics.of(estimate.toLong, bytes, readSchema, None)
  }
}

private object ChangesScan {

  /** Most bytes of files that one task compares: it sorts their rows. */
  private val mostBytes = 1L << 30
}

/** Input partition of a [[ChangesScan]].
  * @param task value of the column [[ChangesTable.task]] */
private[read] final case class ChangesPartition(compared: Seq[ComparedSlices], task: Int)
    extends InputPartition
    with HasPartitionKey {
  override def partitionKey(): InternalRow = InternalRow(task)
}
