package hudilite.spark.locate

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.storage.StorageLevel
import org.apache.spark.util.{CollectionAccumulator, SerializableConfiguration}
import org.apache.spark.{Partitioner, SparkContext}

import hudilite.error.HudiliteException
import hudilite.index.{InsertBins, LookupCounts, RangePruning}
import hudilite.io.{Closing, Requests}
import hudilite.spark.plan.FileSizes
import hudilite.spark.read.SliceReaderFactory
import hudilite.view.FileSlice

/** Lookup of the file groups of tagged rows by key ranges, bloom filters and keys (driver side).
  *
  * The keys of the source are packed, sorted and persisted. Each lookup task compares one chunk of
  * file slices with them and returns the number of a file group for each key found. If all file groups
  * are new, the keys are only sampled. Nothing that grows with the rows of the source is collected on
  * the driver.
  * Source: seed 001, performance §4.3.
  *
  * @param table   name of the table, for errors
  * @param fileGroups file groups of the table, as this statement numbers them
  * @param inserts whether a row whose key is in no file group may be inserted into one
  * @param sizes   target sizes of base files
  * @param chunks  maximum number of lookup tasks
  * @param ofLogs  reads the record keys of slices with log files, if the table is merge-on-read
  * @param counts  called in tasks with their counts */
final class BloomIndex(
    table: String,
    context: SparkContext,
    conf: Broadcast[SerializableConfiguration],
    fileGroups: NumberedFileGroups,
    inserts: Boolean,
    sizes: FileSizes,
    pruning: RangePruning,
    chunks: Int,
    ofLogs: Option[SliceReaderFactory],
    counts: LookupCounts => Unit
) {

  /** Sets the number of its file group in each row. Drops a row whose key is in no file group if
    * nothing is to be inserted. */
  def locate(tagged: RDD[InternalRow]): LocatedRows =
    if (fileGroups.areNew) placed(tagged) else lookedUp(tagged)

  /** Places the rows in new file groups. No key is looked up, as there is no file, and no task keeps
    * more than a sample of its keys. */
  private def placed(tagged: RDD[InternalRow]): LocatedRows = {
    val most = sampledBy(tagged)
    val found = tagged
      .mapPartitionsWithIndex((task, rows) => SampledKeys.of(rows, most, task))
      .collect().toSeq
    val rows = found.map(_.sample.count).sum
    val paths = found.map(_.path).distinct.sorted
    val bins = Option.when(inserts)(
      binsOf(
        found.groupMap(_.path)(_.sample),
        paths.map(_ -> IndexedSeq.empty),
        sizes.rowBytes(rows, found.map(_.bytes).sum)
      )
    )
    val shared = context.broadcast(bins)
    new LocatedRows(
      tagged.mapPartitions(FileGroupNumbers.ofNew(shared.value), preservesPartitioning = true),
      rows,
      paths,
      Nil,
      context.collectionAccumulator[String]
    )
  }

  private def lookedUp(tagged: RDD[InternalRow]): LocatedRows = {
    val rangeless = context.collectionAccumulator[String]
    val keys = tagged.mapPartitions(PartitionKeys.of).persist(StorageLevel.MEMORY_AND_DISK)
    Closing.onFailure(() => keys.unpersist(): Unit) {
      val found = keys
        .mapPartitionsWithIndex((part, all) => all.map(k => (part, k.path, k.rows, k.bytes)))
        .collect().toSeq
      val rows = found.map(_._3).sum
      val partsOf = found.groupMap(_._2)(_._1)
      val paths = partsOf.keys.toSeq.sorted
      val known = paths.zip(Requests.of(paths)(fileGroups.of))
      val located = resolved(keys, hits(keys, known, partsOf, rangeless), known.toMap)
        .persist(StorageLevel.MEMORY_AND_DISK)
      Closing.onFailure(() => located.unpersist(): Unit) {
        val bins = Option.when(inserts)(
          binsOf(samplesOf(located), known, sizes.rowBytes(rows, found.map(_._4).sum))
        )
        val shared = context.broadcast(bins)
        new LocatedRows(
          tagged.zipPartitions(located, preservesPartitioning = true)(
            FileGroupNumbers(shared.value)
          ),
          rows,
          known.map(_._1),
          Seq(keys, located),
          rangeless
        )
      }
    }
  }

  private def hits(
      keys: RDD[PartitionKeys],
      known: Seq[(String, IndexedSeq[FileSlice])],
      partsOf: Map[String, Seq[Int]],
      rangeless: CollectionAccumulator[String]
  ): RDD[(Int, LookupHits)] = {
    val files = known.flatMap { case (path, slices) =>
      slices.zipWithIndex.map { case (slice, number) => (path, (slice, number)) }
    }
    val parts = new BloomIndex.Parts(keys.getNumPartitions)
    if (files.isEmpty) context.emptyRDD[(Int, LookupHits)].partitionBy(parts)
    else {
      val perTask = math.max(BloomIndex.fewestFiles, (files.size + chunks - 1) / chunks)
      val tasks = files.grouped(perTask).map { chunk =>
        val byPath = chunk.groupMap(_._1)(_._2).toSeq.sortBy(_._1)
        LookupChunk(
          byPath.map { case (path, some) => (path, some.toIndexedSeq) },
          byPath.flatMap { case (path, _) => partsOf(path) }.distinct.sorted.toIndexedSeq
        )
      }
      new KeyLookupRDD(keys, tasks.toIndexedSeq, pruning, conf, ofLogs, inserts,
        counting(rangeless))
        .partitionBy(parts)
    }
  }

  private def counting(rangeless: CollectionAccumulator[String]): LookupCounts => Unit = {
    val add = counts
    counted => {
      add(counted)
      counted.rangeless.foreach(rangeless.add)
    }
  }

  private def resolved(
      keys: RDD[PartitionKeys],
      hits: RDD[(Int, LookupHits)],
      known: Map[String, IndexedSeq[FileSlice]]
  ): RDD[KeyLocations] = {
    val (files, name) = (context.broadcast(known), table)
    keys.zipPartitions(hits) { (all, found) =>
      val byPath = found.map(_._2).toSeq.groupBy(_.path)
      all.map(of => BloomIndex.resolve(name, of, byPath.getOrElse(of.path, Nil), files.value))
    }
  }

  private def samplesOf(located: RDD[KeyLocations]): Map[String, Seq[InsertBins.Sample]] = {
    val most = sampledBy(located)
    located
      .mapPartitionsWithIndex((task, all) => all.flatMap(BloomIndex.sample(_, most, task)))
      .collect().toSeq.groupMap(_._1)(_._2)
  }

  /** Returns the number of keys that each task samples in a partition of the table. */
  private def sampledBy(rows: RDD[_]): Int =
    math.max(1, InsertBins.sampled / math.max(1, rows.getNumPartitions))

  private def binsOf(
      samples: Map[String, Seq[InsertBins.Sample]],
      known: Seq[(String, IndexedSeq[FileSlice])],
      rowBytes: Double
  ): Map[String, InsertBins] = known.collect {
    case (path, slices) if samples.contains(path) =>
      path -> InsertBins.of(
        samples(path),
        sizes.room(slices, rowBytes),
        sizes.rowsOfNew(rowBytes),
        slices.size
      )
  }.toMap
}

object BloomIndex {

  /** Minimum number of files of a lookup task, if there are as many. */
  private val fewestFiles = 4

  final private class Parts(override val numPartitions: Int) extends Partitioner {
    override def getPartition(key: Any): Int = key.asInstanceOf[Int]
    override def equals(other: Any): Boolean = other match {
      case parts: Parts => parts.numPartitions == numPartitions
      case _ => false
    }
    override def hashCode: Int = numPartitions
  }

  private def resolve(
      table: String,
      of: PartitionKeys,
      hits: Seq[LookupHits],
      known: Map[String, IndexedSeq[FileSlice]]
  ): KeyLocations = {
    val fileGroups = Array.fill(of.keys.size)(KeyLocations.Absent)
    if (hits.exists(_.of != of.keys.fingerprint)) PartitionKeys.otherKeys()
    val (ofBases, found) = hits.partition(_.areOfBases)
    for (hit <- found; i <- hit.keys.indices) {
      val key = hit.keys(i)
      val number = hit.fileGroups(i)
      val before = fileGroups(key)
      if (before != KeyLocations.Absent && before != number)
        throw HudiliteException(
          "HUDILITE_DUPLICATE_KEY_IN_TABLE",
          "table" -> table,
          "partition" -> of.path,
          "key" -> of.keys(key).toString,
          "files" -> Seq(before, number).map(n => nameOf(known(of.path)(n))).sorted.mkString(
            " and "
          )
        )
      fileGroups(key) = number
    }
    val absent = fileGroups.map(_ == KeyLocations.Absent)
    for (hit <- ofBases; i <- hit.keys.indices; key = hit.keys(i) if absent(key)) {
      val before = fileGroups(key)
      if (before == KeyLocations.Absent || hit.fileGroups(i) < before)
        fileGroups(key) = hit.fileGroups(i)
    }
    KeyLocations(of.path, of.keys, fileGroups)
  }

  private def nameOf(slice: FileSlice): String =
    slice.baseName.getOrElse(slice.logs.head.path.getName)

  private def sample(
      of: KeyLocations,
      most: Int,
      task: Int
  ): Option[(String, InsertBins.Sample)] = {
    val absent = of.fileGroups.indices.filter(of.fileGroups(_) == KeyLocations.Absent)
    Option.when(absent.nonEmpty)(
      of.path -> InsertBins.Sample
        .spaced(absent.size, i => of.keys(absent(i)).clone(), most, absent.size.toLong, task)
    )
  }
}
