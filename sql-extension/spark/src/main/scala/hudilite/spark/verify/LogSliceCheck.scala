package hudilite.spark.verify

import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.metadata.ParquetMetadata

import hudilite.format.{DeleteRecords, LogBlock, MetaFields}
import hudilite.io.Storage
import hudilite.spark.read.ParquetBlock
import hudilite.verify.{Finding, LogCheck, TableCheck}
import hudilite.view.{AdmittedBlocks, LogFile, SnapshotView}

/** Check of the log files of file slices: their blocks, and the content of these. Runs in tasks.
  * @param known        instants whose commits can be read
  * @param isOfVersion6 whether the table has version 6
  * @param hasMetaFields whether blocks of rows have the meta columns
  * Source: merge-on-read §8.8. */
private[verify] final case class LogSliceCheck(
    view: SnapshotView,
    known: Set[String],
    isOfVersion6: Boolean,
    hasMetaFields: Boolean
) {
  import LogSliceCheck._

  /** Returns the findings about the log files of a slice.
    * @param rows facts for a check of every row, None if only frames and footers are read */
  def findings(
      file: TableCheck.CheckedSlice,
      conf: Configuration,
      rows: Option[RowCheckFacts]
  ): Seq[Finding] =
    if (file.slice.logs.isEmpty) Nil
    else {
      val storage = Storage.of(file.slice.logs.head.path, conf)
      val found = new LogCheck(file, view, known, isOfVersion6).run(log =>
        storage.readListed(log.path, log.length, Storage.maxArrayBytes)
      )
      val ofContents = found.blocks.flatMap { case (log, blocks) =>
        contents(file, log, blocks, conf, rows)
      }
      val read = found.findings ++ ofContents
      val ofMerge =
        if (read.exists(_.severity == Finding.severities.head)) None
        else rows.flatMap(StoredRows.merged(_, file))
      read ++ ofMerge
    }

  private def contents(
      file: TableCheck.CheckedSlice,
      log: LogFile,
      blocks: Seq[LogBlock],
      conf: Configuration,
      rows: Option[RowCheckFacts]
  ): Seq[Finding] = {
    val place = file.place(log)
    val read = blocks.map(block => block -> content(block, log.path, place, conf))
    val ofFooters =
      read.flatMap(_._2.fold(Seq(_), found => if (hasMetaFields) found.lacking(place) else Nil))
    ofFooters ++ counts(file, log, read) ++
      (for {
        (block, Right(content)) <- read
        facts <- rows.toSeq
        found = AdmittedBlocks.InFile(log.path.toString, block)
        finding <- StoredRows.ofBlock(facts, file, place, found, content.pairs)
      } yield finding)
  }

  /** Compares the numbers of rows and deletions with those of the commits that name the file. */
  private def counts(
      file: TableCheck.CheckedSlice,
      log: LogFile,
      read: Seq[(LogBlock, Either[Finding, Content])]
  ): Seq[Finding] = {
    val byInstant = read.groupBy(_._1.instant.getOrElse(""))
    file.logs.getOrElse(log.path.getName, Map.empty).toSeq.sortBy(_._1).flatMap {
      case (instant, stat) =>
        val own = byInstant.getOrElse(instant, Nil)
        val counted = own.flatMap(_._2.toOption)
        val isKnown = counted.size == own.size && counted.forall(_.count.nonEmpty) &&
          own.forall(_._1.compactedInstants.isEmpty)
        def sum(deletes: Boolean) =
          counted.filter(_.isDeletes == deletes).flatMap(_.count).sum
        val there = TableCheck.LogStat(sum(deletes = false), sum(deletes = true))
        Option.when(isKnown && there != stat) {
          Finding.error(
            "ROW_COUNT_DIFFERS",
            file.place(log),
            s"commit $instant wrote ${text(stat)}, but the file has ${text(there)}"
          )
        }
    }
  }
}

private object LogSliceCheck {

  /** Version of the content of Avro blocks that tells the number of records. */
  private val countedVersion = 3

  /** Content of a block.
    * @param count   number of its rows or deletions, if it is known
    * @param pairs   key-value pairs in the footer of a Parquet block
    * @param columns names of its columns, if they are known */
  private final case class Content(
      isDeletes: Boolean,
      count: Option[Long],
      pairs: Map[String, String],
      columns: Option[Set[String]]
  ) {

    /** Returns a finding if a meta column is missing. */
    def lacking(place: String): Seq[Finding] = {
      val names = columns.toSeq.flatMap(known => MetaFields.all.filterNot(known))
      Option.when(names.nonEmpty)(
        Finding.error("META_COLUMN_MISSING", place, s"it has no ${names.mkString(", ")}")
      ).toSeq
    }
  }

  private def content(
      block: LogBlock,
      path: Path,
      place: String,
      conf: Configuration
  ): Either[Finding, Content] =
    try
      Right(block.kind match {
        case LogBlock.delete =>
          val count = DeleteRecords.read(block.buffer, path.toString).size.toLong
          Content(isDeletes = true, Some(count), Map.empty, None)
        case LogBlock.parquetData => ofParquet(ParquetBlock.footer(conf, path, block.content))
        case _ => Content(isDeletes = false, records(block.buffer), Map.empty, None)
      })
    catch {
      case NonFatal(e) => Left(Finding.error(LogCheck.damaged, place, FileFooter.firstLine(e)))
    }

  private def ofParquet(footer: ParquetMetadata): Content = Content(
    isDeletes = false,
    Some(footer.getBlocks.asScala.map(_.getRowCount).sum),
    footer.getFileMetaData.getKeyValueMetaData.asScala.toMap,
    Some(footer.getFileMetaData.getSchema.getFields.asScala.map(_.getName).toSet)
  )

  private def records(content: ByteBuffer): Option[Long] =
    Option.when(content.remaining >= 2 * Integer.BYTES)(content.getInt() -> content.getInt())
      .collect { case (`countedVersion`, count) => count.toLong }

  private def text(stat: TableCheck.LogStat): String =
    s"${stat.rows} rows and ${stat.deletes} deletions"
}
