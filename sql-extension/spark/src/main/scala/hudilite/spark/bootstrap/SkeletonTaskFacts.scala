package hudilite.spark.bootstrap

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration

import hudilite.bootstrap.SkeletonLayout
import hudilite.format.TableConfig
import hudilite.spark.plan.MetaColumns
import hudilite.spark.read.SliceReader
import hudilite.spark.write.{FileLayout, PendingWrite}
import hudilite.timeline.Instant

/** Facts that the tasks of a bootstrap share. Built on the driver and serialized to tasks.
  * @param write    pending write of the skeletons; nothing is written without one
  * @param instant  instant of the skeletons
  * @param columns  columns of the first readable file, without the partition columns of the source
  * @param isGlobal whether a key must be unique in the whole table, not only in its partition
  * @param layout   layout of the skeletons
  * @param ranges   number of parts into which keys are split by their hashes */
final case class SkeletonTaskFacts(
    basePath: String,
    write: Option[PendingWrite],
    instant: String,
    columns: StructType,
    keys: SourceKeyFacts,
    isGlobal: Boolean,
    layout: SkeletonLayout,
    ranges: Int,
    conf: Broadcast[SerializableConfiguration]
)

object SkeletonTaskFacts {

  /** Bytes of source files whose keys one task compares. */
  private val bytesARange = 512L << 20
  private val mostRanges = 10000

  /** Builds the facts.
    * @param config   properties of the new table
    * @param adoption pending write that creates skeletons, if there is one */
  def of(
      session: SparkSession,
      layout: BootstrapLayout,
      config: TableConfig,
      adoption: Option[PendingWrite]
  ): SkeletonTaskFacts = {
    val files = FileLayout.of(session.sessionState.conf, config)
    SkeletonTaskFacts(
      layout.basePath.toString,
      adoption,
      Instant.bootstrap,
      layout.columns,
      keys(session, layout, config),
      config.partitionFields.forall(config.recordKeyFields.contains),
      SkeletonLayout(files.codec, files.pageRows, files.filterType),
      ranges(session, layout),
      session.sparkContext.broadcast(
        new SerializableConfiguration(session.sessionState.newHadoopConf())
      )
    )
  }

  private def keys(
      session: SparkSession,
      layout: BootstrapLayout,
      config: TableConfig
  ): SourceKeyFacts = {
    val partitions = layout.source.partitionColumns
    val columns =
      StructType(config.recordKeyFields.flatMap(key => layout.columns.find(_.name == key)))
    val schema = MetaColumns.before(layout.columns ++ partitions)
    SourceKeyFacts(
      layout.request.name,
      config.recordKeyFields,
      config.complexKey,
      columns,
      partitions,
      SliceReader.factory(
        session,
        config.withoutBootstrap,
        schema,
        columns,
        Array.empty,
        strict = true
      )
    )
  }

  private def ranges(session: SparkSession, layout: BootstrapLayout): Int = {
    val parts = layout.files.map(_.length).sum / bytesARange + 1
    val least = math.min(layout.files.size, session.sparkContext.defaultParallelism)
    math.min(math.max(parts, least.toLong), mostRanges.toLong).toInt
  }
}
