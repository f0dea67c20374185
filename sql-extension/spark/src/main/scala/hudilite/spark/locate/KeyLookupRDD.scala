package hudilite.spark.locate

import scala.collection.mutable

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.util.SerializableConfiguration
import org.apache.spark.{NarrowDependency, Partition, TaskContext}

import hudilite.index.{KeyLookup, LookupCounts, RangePruning, SortedKeys}
import hudilite.spark.read.SliceReaderFactory
import hudilite.view.FileSlice

/** File slices that one lookup task searches.
  * @param files by partition path, each with the number of its file group
  * @param parts source tasks whose keys may be in these files */
final case class LookupChunk(
    files: Seq[(String, IndexedSeq[(FileSlice, Int)])],
    parts: IndexedSeq[Int]
)

/** Lookup result of one chunk of files for the keys of one source task in one partition.
  * @param of         fingerprint of the sorted keys that `keys` refers to
  * @param keys       numbers of the keys found, in the order of finding
  * @param fileGroups number of the file group of each
  * @param areOfBases whether only the base of the file group was searched, whose rows log files may have
  *                   deleted */
final case class LookupHits(
    path: String,
    of: Int,
    keys: Array[Int],
    fileGroups: Array[Int],
    areOfBases: Boolean
)

/** RDD that looks up the keys of the source in file slices, with one task for each chunk of files
  * (task side). Only the hits are shuffled, neither source rows nor pairs of key and file.
  *
  * @param keys    one partition for each source task
  * @param ofLogs  reads the record keys of slices with log files, if the table is merge-on-read
  * @param inserts whether a key without a row may be inserted. Its file group is then the one whose base
  *                has a row that a log file has deleted: the index of stock Hudi reads only bases, and
  *                would find a row in another file group, too
  * @param counts  called with the counts of each task
  * Source: merge-on-read §6.2. */
final private[spark] class KeyLookupRDD(
    keys: RDD[PartitionKeys],
    @transient chunks: IndexedSeq[LookupChunk],
    pruning: RangePruning,
    conf: Broadcast[SerializableConfiguration],
    ofLogs: Option[SliceReaderFactory],
    inserts: Boolean,
    counts: LookupCounts => Unit
) extends RDD[(Int, LookupHits)](
      keys.context,
      Seq(new NarrowDependency[PartitionKeys](keys) {
        private val parts = chunks.map(_.parts)
        override def getParents(partition: Int): Seq[Int] = parts(partition)
      })
    ) {

  override protected def getPartitions: Array[Partition] = {
    val sources = keys.partitions
    chunks.indices
      .map(i => KeyLookupRDD.Part(i, chunks(i), chunks(i).parts.map(sources(_))): Partition)
      .toArray
  }

  override def compute(split: Partition, context: TaskContext): Iterator[(Int, LookupHits)] = {
    val KeyLookupRDD.Part(_, chunk, sources) = split.asInstanceOf[KeyLookupRDD.Part]
    val paths = chunk.files.map(_._1).toSet
    val found = for {
      (part, source) <- chunk.parts.zip(sources)
      of <- firstParent[PartitionKeys].iterator(source, context)
      if paths(of.path)
    } yield (of.path, part, of.keys)
    val byPath = found.groupBy(_._1)
    val counted = new LookupCounts
    val hits = chunk.files.flatMap { case (path, files) =>
      val runs = byPath.getOrElse(path, IndexedSeq.empty)
      look(path, runs.map { case (_, part, keys) => (part, keys) }, files, counted)
    }
    counts(counted)
    hits.iterator
  }

  private def look(
      path: String,
      runs: IndexedSeq[(Int, SortedKeys)],
      files: IndexedSeq[(FileSlice, Int)],
      counted: LookupCounts
  ): Seq[(Int, LookupHits)] = {
    val found, inLogged = new KeyLookupRDD.Hits(runs)
    val (others, bases) = files.partition(of => ofLogs.nonEmpty && !of._1.isOnlyBase)
    look(runs, bases, found, counted)
    for (reader <- ofLogs; (slice, number) <- others) {
      counted.files += 1
      counted.opened += 1
      SliceKeys.each(reader, slice) { key =>
        runs.indices.foreach { run =>
          val at = runs(run)._2.find(key)
          if (at >= 0) {
            counted.confirmed += 1
            found.add(run, at, number)
          }
        }
      }
    }
    if (inserts) {
      val logged = others.flatMap { case (of, number) => of.withoutLogs.map(_ -> number) }
      look(runs, logged, inLogged, new LookupCounts) // their slices are counted above
    }
    found.of(path, areOfBases = false) ++
      inLogged.of(path, areOfBases = true).filter(_._2.keys.nonEmpty)
  }

  private def look(
      runs: IndexedSeq[(Int, SortedKeys)],
      bases: IndexedSeq[(FileSlice, Int)],
      hits: KeyLookupRDD.Hits,
      counted: LookupCounts
  ): Unit =
    new KeyLookup(runs.map(_._2), pruning, conf.value.value, counted)
      .find(bases.map(_._1))((run, key, file) => hits.add(run, key, bases(file)._2))
}

private[spark] object KeyLookupRDD {
  final case class Part(index: Int, chunk: LookupChunk, sources: IndexedSeq[Partition])
      extends Partition

  /** Hits for some keys in one partition of the table.
    * @param runs numbers of source tasks, and their keys */
  private final class Hits(runs: IndexedSeq[(Int, SortedKeys)]) {
    private val keys, fileGroups = runs.map(_ => mutable.ArrayBuilder.make[Int])

    /** Adds a hit.
      * @param run       index of the source task in `runs`
      * @param key       number of the key
      * @param fileGroup number of the file group */
    def add(run: Int, key: Int, fileGroup: Int): Unit = {
      keys(run) += key
      fileGroups(run) += fileGroup
    }

    /** Returns the hits of each source task. */
    def of(path: String, areOfBases: Boolean): Seq[(Int, LookupHits)] =
      runs.zipWithIndex.map { case ((part, sought), run) =>
        val (of, groups) = (keys(run).result(), fileGroups(run).result())
        (part, LookupHits(path, sought.fingerprint, of, groups, areOfBases))
      }
  }
}
