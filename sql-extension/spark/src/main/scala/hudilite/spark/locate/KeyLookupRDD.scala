package hudilite.spark.locate

import scala.collection.mutable

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.util.SerializableConfiguration
import org.apache.spark.{NarrowDependency, Partition, TaskContext}

import hudilite.index.{KeyLookup, LookupCounts, RangePruning, SortedKeys}
import hudilite.spark.read.SliceReaderFactory
import hudilite.view.FileSlice

/** Base files that one lookup task searches.
  * @param files by partition path, each with the number of its file group
  * @param parts source tasks whose keys may be in these files */
final case class LookupChunk(
    files: Seq[(String, IndexedSeq[(FileSlice, Int)])],
    parts: IndexedSeq[Int]
)

/** Lookup result of one chunk of files for the keys of one source task in one partition.
  * @param of         fingerprint of the sorted keys that `keys` refers to
  * @param keys       numbers of the keys found, in the order of finding
  * @param fileGroups number of the file group of each */
final case class LookupHits(path: String, of: Int, keys: Array[Int], fileGroups: Array[Int])

/** RDD that looks up the keys of the source in base files, with one task for each chunk of files
  * (task side). Only the hits are shuffled, neither source rows nor pairs of key and file.
  *
  * @param keys   one partition for each source task
  * @param ofLogs reads the record keys of slices with log files, if the table is merge-on-read
  * @param counts called with the counts of each task */
final private[spark] class KeyLookupRDD(
    keys: RDD[PartitionKeys],
    @transient chunks: IndexedSeq[LookupChunk],
    pruning: RangePruning,
    conf: Broadcast[SerializableConfiguration],
    ofLogs: Option[SliceReaderFactory],
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
    val keys, fileGroups = runs.map(_ => mutable.ArrayBuilder.make[Int])
    def hit(run: Int, key: Int, fileGroup: Int): Unit = {
      keys(run) += key
      fileGroups(run) += fileGroup
    }
    val (others, bases) = files.partition(of => ofLogs.nonEmpty && !of._1.isOnlyBase)
    new KeyLookup(runs.map(_._2), pruning, conf.value.value, counted)
      .find(bases.map(_._1))((run, key, file) => hit(run, key, bases(file)._2))
    for (reader <- ofLogs; (slice, number) <- others) {
      counted.files += 1
      counted.opened += 1
      SliceKeys.each(reader, slice) { key =>
        runs.indices.foreach { run =>
          val found = runs(run)._2.find(key)
          if (found >= 0) {
            counted.confirmed += 1
            hit(run, found, number)
          }
        }
      }
    }
    runs.indices.map { r =>
      val (part, sought) = runs(r)
      (part, LookupHits(path, sought.fingerprint, keys(r).result(), fileGroups(r).result()))
    }
  }
}

private[spark] object KeyLookupRDD {
  final case class Part(index: Int, chunk: LookupChunk, sources: IndexedSeq[Partition])
      extends Partition
}
