package hudilite.spark.bootstrap

import org.apache.hadoop.fs.Path

import hudilite.bootstrap.SkeletonFacts
import hudilite.commit.Transaction
import hudilite.timeline.{CommitMetadata, TimelineFiles, WriteStat}
import hudilite.view.{BootstrapIndex, BootstrapPartition, PartitionMetafile, SourceFile}

/** Preparation of the commit of adopted files, when their skeletons are written: the bootstrap
  * index, the metafiles of the partitions and the commit's metadata. Runs on the driver.
  * @param sourceBase folder of the source
  * @param depth      number of the table's partition columns
  * @param sourceOf   returns the listed source file of an adopted one */
final class SkeletonCommit(
    timeline: TimelineFiles,
    sourceBase: Path,
    depth: Int,
    sourceOf: PlacedFile => BootstrapSource.ListedFile
) {

  /** Writes index and metafiles, and deletes the skeletons of lost task attempts.
    * @param write   the adoption's, already begun
    * @param adopted files with a skeleton
    * @param reports reports of all files, in the order of their ordinals
    * @param schema  Avro schema of the table
    * @param extra   entries for the metadata
    * @return the metadata of the adoption's commit */
  def prepare(
      write: Transaction,
      adopted: Seq[PlacedFile],
      reports: Seq[FileReport],
      schema: String,
      extra: Map[String, String]
  ): CommitMetadata = {
    writeIndex(adopted, reports)
    val stats = adopted.map(file => stat(file, reports(file.ordinal)))
    val partitions = adopted.map(_.partition).distinct
    write.removeLosers(partitions, stats.map(_.path).toSet): Unit
    partitions.foreach(
      PartitionMetafile.write(timeline.storage, timeline.basePath, _, write.instant, depth)
    )
    CommitMetadata(BootstrapCommand.operation, schema, stats, extra = extra)
  }

  private def writeIndex(adopted: Seq[PlacedFile], reports: Seq[FileReport]): Unit = {
    val partitions = adopted.groupBy(_.partition).toSeq.sortBy(_._1).map {
      case (partition, files) =>
        BootstrapPartition(
          partition,
          sourceOf(files.head).folder,
          files.map(file => file.fileId -> sourceFile(file, reports(file.ordinal))).toMap
        )
    }
    BootstrapIndex.write(timeline, sourceBase, partitions, System.currentTimeMillis())
  }

  private def sourceFile(file: PlacedFile, report: FileReport): SourceFile = {
    val listed = sourceOf(file)
    val sequence = SkeletonFacts.sequencePrefix(BootstrapIndex.instant, file.ordinal)
    SourceFile(listed.path, listed.length, listed.modified, Some(report.footer), Some(sequence))
  }

  private def stat(file: PlacedFile, report: FileReport): WriteStat = {
    val (skeleton, length) = report.skeleton.getOrElse(
      throw new IllegalStateException(s"INTERNAL: ${file.path} has no skeleton")
    )
    WriteStat(
      fileId = file.fileId,
      path = (Seq(file.partition).filter(_.nonEmpty) :+ skeleton).mkString("/"),
      prevCommit = WriteStat.noCommit,
      prevBaseFile = None,
      partitionPath = file.partition,
      numWrites = report.rows,
      numInserts = report.rows,
      numUpdateWrites = 0,
      numDeletes = 0,
      totalWriteBytes = length,
      fileSizeInBytes = length
    )
  }
}
