package hudilite.spark.repair

import org.apache.spark.HashPartitioner
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.functions.{
  array,
  array_except,
  col,
  collect_set,
  explode,
  max,
  size,
  struct
}
import org.apache.spark.sql.types.{IntegerType, StringType, StructField, StructType}
import org.apache.spark.storage.StorageLevel

import hudilite.format.MetaFields
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.MetaColumns
import hudilite.spark.read.{SliceReader, SliceReaderFactory}
import hudilite.view.FileSlice

/** Rows whose key another base file has, too, although only one may have it. Writers that do not
  * know of each other leave such rows. The row of the latest commit supersedes the others, then
  * that of the greatest sequence number, then that of the newest file. Runs on the driver; tasks
  * read and compare the rows, and the keys never reach the driver.
  * @param slices   latest slices; each is identified by its index in this list
  * @param isGlobal whether a key must be unique in the whole table, not only in its partition */
final private[repair] class SupersededRows(
    session: SparkSession,
    table: HudiliteTable,
    slices: Seq[FileSlice],
    isGlobal: Boolean
) {

  /** Pairs of a slice's index and a key for which another slice has the row that must stay. Cached
    * until [[release]]. */
  private val found: RDD[(Int, String)] = {
    val read = SupersededRows.read
    val columns = MetaColumns.before(table.schema)
    val factory =
      SliceReader.factory(session, table.config, columns, read, Array.empty, strict = true)
    val numbered = session.sparkContext.parallelize(slices.zipWithIndex, slices.size)
    session
      .createDataFrame(SupersededRows.rows(numbered, factory, isGlobal), SupersededRows.schema)
      .groupBy("scope", "key")
      .agg(
        max(struct("time", "sequence", "instant", "slice")).as("best"),
        collect_set("slice").as("slices")
      )
      .where(size(col("slices")) > 1)
      .select(explode(array_except(col("slices"), array(col("best.slice")))), col("key"))
      .rdd
      .map(row => (row.getInt(0), row.getString(1)))
      .persist(StorageLevel.MEMORY_AND_DISK)
  }

  /** Returns the indexes of the slices that have superseded rows. Starts a Spark job. */
  def holders: Set[Int] = found.keys.distinct().collect().toSet

  /** Returns the keys of the superseded rows of some slices.
    * @param numbers indexes of the slices
    * @return one set per RDD partition, in the order of `numbers` */
  def of(numbers: Seq[Int]): RDD[Set[String]] = {
    val places = numbers.zipWithIndex.toMap
    found.filter { case (slice, _) => places.contains(slice) }
      .map { case (slice, key) => (places(slice), key) }
      .partitionBy(new HashPartitioner(numbers.size))
      .mapPartitions(keys => Iterator(keys.map(_._2).toSet))
  }

  def release(): Unit = found.unpersist(): Unit
}

private[repair] object SupersededRows {

  private val read: StructType = StructType(
    Seq(MetaFields.RecordKey, MetaFields.CommitTime, MetaFields.CommitSeqno)
      .map(StructField(_, StringType))
  )

  private val schema = new StructType()
    .add("scope", StringType)
    .add("key", StringType)
    .add("time", StringType)
    .add("sequence", StringType)
    .add("instant", StringType)
    .add("slice", IntegerType)

  /** Reads key, commit time and sequence number of each row, in tasks. It is in the object so that
    * tasks do not serialize the class. */
  private def rows(
      slices: RDD[(FileSlice, Int)],
      factory: SliceReaderFactory,
      isGlobal: Boolean
  ): RDD[Row] = slices.flatMap { case (slice, number) =>
    val scope = if (isGlobal) "" else slice.partition
    SliceRows.of(factory, slice)
      .filterNot(_.isNullAt(0)) // a row without a key has no duplicate
      .map { row =>
        val Seq(key, time, sequence) =
          (0 to 2).map(i => if (row.isNullAt(i)) "" else row.getString(i)): @unchecked
        Row(scope, key, time, sequence, slice.instant, number)
      }
  }
}
