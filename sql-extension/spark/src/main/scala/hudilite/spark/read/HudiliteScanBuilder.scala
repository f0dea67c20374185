package hudilite.spark.read

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.{
  Scan,
  SupportsPushDownAggregates,
  SupportsPushDownRequiredColumns
}
import org.apache.spark.sql.hudilite.FilterTranslation
import org.apache.spark.sql.internal.connector.SupportsPushDownCatalystFilters
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.error.{HudiliteException, Suggestion}
import hudilite.view.{TableSnapshot, TableStatistics}

/** Builder of a scan of one snapshot: receives filters, columns and aggregates from the optimizer
  * (driver side). Spark evaluates a filter again after the scan unless the partition paths decide
  * it or the readers evaluate it, so pruning only has to be safe, not exact.
  * @param spark     session of the query
  * @param tableName name for EXPLAIN
  * @param schema    table schema, without the metadata columns
  * @param snapshot  table as of a commit
  * @param options   read options of the statement, as those of Spark's Parquet source
  * @param statistics statistics of the table, if they are to be used
  * @throws hudilite.error.HudiliteException HUDILITE_PROPERTY_UNSUPPORTED for Hudi's read options
  */
final class HudiliteScanBuilder(
    spark: SparkSession,
    tableName: String,
    schema: StructType,
    snapshot: TableSnapshot,
    options: CaseInsensitiveStringMap,
    statistics: () => Option[TableStatistics] = () => None
) extends SupportsPushDownCatalystFilters
    with SupportsPushDownRequiredColumns
    with SupportsPushDownAggregates {
  HudiliteScanBuilder.check(options, snapshot.isPast, tableName)

  private var request = ScanRequest(schema)
  private var partitions = Option.empty[KeptPartitions]
  private var listed = Option.empty[SliceSelection]

  /** Returns the filters that Spark evaluates again: all except those that the paths of the
    * partitions decide, and those that name the record key. */
  override def pushFilters(filters: Seq[Expression]): Seq[Expression] = {
    val usable = filters.filter(f => f.deterministic && !FileColumn.isIn(f, schema))
    request = request.copy(
      filters = usable,
      decided = decided(usable),
      key = KeyCondition.of(snapshot.config, schema, usable),
      pushed = usable.flatMap(FilterTranslation.translate)
    )
    filters.filterNot(f => request.decided.contains(f) || request.key.exists(_.decides(f)))
  }

  override def pushedFilters: Array[Predicate] =
    request.pushed.map(FilterTranslation.predicate).toArray

  override def pruneColumns(requiredSchema: StructType): Unit =
    request = request.copy(columns = requiredSchema)

  /** Spark calls this only if no filter is left, and combines the results of the files. */
  override def pushAggregation(aggregation: Aggregation): Boolean = {
    val asked =
      if (isStrict && request.key.isEmpty && (!snapshot.mayShowLogs || areOnlyBases))
        FooterAggregation.of(aggregation, snapshot.config, schema)
      else None
    request = request.copy(aggregation = asked)
    asked.nonEmpty
  }

  /** Whether no file slice of the query has log files: footers do not contain what these change. */
  private def areOnlyBases: Boolean = HudiliteScanBuilder.isReadOptimized(options) || {
    val all = SliceSelection.of(snapshot, schema, request.filters, partitions)
    listed = Some(all)
    all.slices.forall(_.isOnlyBase)
  }

  override def build(): Scan =
    new HudiliteScan(spark, tableName, schema, snapshot, request, options, partitions,
      None, statistics, listed)

  private def decided(filters: Seq[Expression]): Seq[Expression] = {
    val config = snapshot.config
    val ofPartitions = filters.filter(PartitionPruning.decide(config, schema, _).nonEmpty)
    if (ofPartitions.nonEmpty) partitions = Some(KeptPartitions.of(snapshot, schema, filters))
    ofPartitions.filter(f => partitions.exists(_.areAll(f, config, schema)))
  }

  /** Whether no setting or option ignores files that cannot be read or changes the calendar of
    * dates; else footers are not used for aggregates. */
  private def isStrict: Boolean = {
    val conf = spark.sessionState.conf
    !conf.ignoreCorruptFiles && !conf.ignoreMissingFiles &&
    !options.keySet.asScala.exists(key => HudiliteScanBuilder.known.exists(_.equalsIgnoreCase(key)))
  }
}

object HudiliteScanBuilder {

  /** Supported options of Spark's Parquet source. */
  private val known =
    Seq("ignoreCorruptFiles", "ignoreMissingFiles", "datetimeRebaseMode", "int96RebaseMode")

  /** Options that contain the location of the table. */
  private val places = Seq("path", "paths")

  /** Options for time travel. */
  private[spark] val travels = Seq("versionAsOf", "timestampAsOf", "as.of.instant",
    PeerOptions.Travel.millis, PeerOptions.Travel.snapshot)

  /** Hudi's option for the type of a query, and its values that mean the rows of one snapshot. */
  private[spark] val queryType = "hoodie.datasource.query.type"
  private[spark] val ofRows = Set("snapshot", "read_optimized")

  /** Whether a read asks for the rows of the bases alone. */
  private[read] def isReadOptimized(options: CaseInsensitiveStringMap): Boolean =
    Option(options.get(queryType)).exists(_.trim.equalsIgnoreCase("read_optimized"))

  /** Rejects unsupported options: those of stock Hudi's reader would change which rows are read, so
    * they are not ignored. */
  private def check(options: CaseInsensitiveStringMap, isPast: Boolean, table: String): Unit = {
    val asksForRows = Option(options.get(queryType)).exists(kind =>
      ofRows(kind.trim.toLowerCase(java.util.Locale.ROOT))
    )
    val supported = known ++ places ++ (if (isPast) travels else Nil) ++
      Option.when(asksForRows)(queryType)
    options
      .keySet()
      .asScala
      .find(key => !supported.exists(_.equalsIgnoreCase(key)))
      .foreach { key =>
        val fix = PeerOptions.ofRead(key, options, table)
          .getOrElse(Suggestion.of(key, known ++ travels.take(2)))
        throw new HudiliteException(
          "HUDILITE_PROPERTY_UNSUPPORTED",
          Map(
            "key" -> key,
            "fix" -> fix
          )
        )
      }
  }
}
