package hudilite.spark.meta

import scala.jdk.CollectionConverters._

import org.apache.avro.generic.GenericRecord
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{IntegerType, LongType, StringType, StructField, StructType}

import hudilite.commit.TimelineEntry
import hudilite.service.Savepoints
import hudilite.spark.catalog.HudiliteTable
import hudilite.timeline.{CommitMetadata, Instant, InstantTime, WriteStat}
import hudilite.view.FileSlice

/** Rows about a table under the column names of stock Hudi's procedures and table functions. A column
  * is there only if its value means the same here; a value that is not known is NULL, where stock Hudi
  * may write -1.
  * @param schema columns
  * @param rows   returns the rows, the latest first unless their value says otherwise */
final case class StockRows(schema: StructType, rows: HudiliteTable => Iterator[InternalRow]) {

  /** Returns the first rows. */
  def take(n: Int): StockRows = copy(rows = rows(_).take(n))
}

object StockRows {

  /** Column of a result: name, type, and its value in one item. */
  private type Column[A] = (StructField, A => Any)

  private def text[A](name: String)(value: A => Any): Column[A] =
    StructField(name, StringType) -> value
  private def long[A](name: String)(value: A => Any): Column[A] =
    StructField(name, LongType) -> value
  private def int[A](name: String)(value: A => Any): Column[A] =
    StructField(name, IntegerType) -> value

  private def of[A](columns: Column[A]*)(items: HudiliteTable => Iterator[A]): StockRows =
    StockRows(
      StructType(columns.map(_._1)),
      items(_).map(item => MetadataRows.row(columns.map(_._2(item)): _*))
    )

  /** Entry of the timeline, and the content of the commit if it is one. */
  final private case class Entry(table: HudiliteTable, at: TimelineEntry) {
    def time: String = at.instant.time
    def action: String = at.instant.completedAction
    def state: String = at.instant.state.toString.toUpperCase(java.util.Locale.ROOT)
    def stats: Seq[WriteStat] = at.metadata.toSeq.flatMap(_.stats)

    /** Time of completion: in table version 6, when the file was written. */
    def completion: Option[String] = at.instant.completion.orElse(
      at.completedMillis.map(InstantTime.at(_, table.config.timelineZone))
    )

    /** Name of its file; None for a commit whose completed file is not published yet. */
    def fileName: Option[String] =
      Option.when(at.instant.state != Instant.Completed || at.completedMillis.nonEmpty)(
        table.timeline.path(at.instant).getName
      )

    /** Sum over the files of the commit; None for another action or before its end. */
    def sum(count: WriteStat => Long): Option[Long] = at.metadata.map(_.stats.map(count).sum)

    /** Number of these files. */
    def number(of: WriteStat => Boolean): Option[Long] =
      sum(stat => if (of(stat)) 1L else 0L)

    def partitions: Option[Long] =
      at.metadata.map(_.stats.map(_.partitionPath).distinct.size.toLong)

    /** Record of an action that is not a commit. */
    def record: Option[GenericRecord] = table.timeline.records(at.instant).headOption
  }

  /** Base or log file that a commit wrote. */
  final private case class Written(entry: Entry, stat: WriteStat)

  private def entries(table: HudiliteTable, wanted: Instant => Boolean): Iterator[Entry] =
    TimelineEntry.latest(table.timeline, wanted).map(Entry(table, _))

  private def committed(table: HudiliteTable): Iterator[Entry] =
    entries(table, _.isWrite).filter(_.at.metadata.nonEmpty)

  /** The commit of an instant; none if it is not on the active timeline. */
  private def commit(instant: String)(table: HudiliteTable): Iterator[Entry] =
    entries(table, i => i.isWrite && i.time == instant).filter(_.at.metadata.nonEmpty)

  private def files(found: Iterator[Entry]): Iterator[Written] =
    found.flatMap(entry => entry.stats.sortBy(_.path).map(Written(entry, _)))

  /** Commits of the active timeline. */
  val commits: StockRows = of[Entry](
    text("commit_time")(_.time),
    text("state_transition_time")(_.completion),
    text("action")(_.action),
    long("total_bytes_written")(_.sum(_.totalWriteBytes)),
    long("total_files_added")(_.number(_.isOfNewGroup)),
    long("total_files_updated")(_.number(!_.isOfNewGroup)),
    long("total_partitions_written")(_.partitions),
    long("total_records_written")(_.sum(_.numWrites)),
    long("total_update_records_written")(_.sum(_.numUpdateWrites)),
    long("total_errors")(_.sum(_.writeErrors))
  )(committed)

  /** Files that the commits of the active timeline wrote. */
  val commitsMetadata: StockRows = of[Written](
    text("commit_time")(_.entry.time),
    text("state_transition_time")(_.entry.completion),
    text("action")(_.entry.action),
    text("partition")(_.stat.partitionPath),
    text("file_id")(_.stat.fileId),
    text("previous_commit")(_.stat.prevCommit),
    long("num_writes")(_.stat.numWrites),
    long("num_inserts")(_.stat.numInserts),
    long("num_deletes")(_.stat.numDeletes),
    long("num_update_writes")(_.stat.numUpdateWrites),
    long("total_errors")(_.stat.writeErrors),
    long("total_bytes_written")(_.stat.totalWriteBytes)
  )(table => files(committed(table)))

  /** Files that one commit wrote, in the order of their paths. */
  def commitFiles(instant: String): StockRows = of[Written](
    text("action")(_.entry.action),
    text("partition_path")(_.stat.partitionPath),
    text("file_id")(_.stat.fileId),
    text("previous_commit")(_.stat.prevCommit),
    long("total_records_updated")(_.stat.numUpdateWrites),
    long("total_records_written")(_.stat.numWrites),
    long("total_bytes_written")(_.stat.totalWriteBytes),
    long("total_errors")(_.stat.writeErrors),
    long("file_size")(_.stat.fileSizeInBytes)
  )(table => files(commit(instant)(table)))

  /** Partitions in which one commit wrote files, in the order of their paths. Of updated rows, those in
    * files that begin a file group do not count, as in stock Hudi. */
  def commitPartitions(instant: String): StockRows = {
    def sum(count: WriteStat => Long)(of: Seq[Written]) = of.map(file => count(file.stat)).sum
    StockRows.of[Seq[Written]](
      text("action")(_.head.entry.action),
      text("partition_path")(_.head.stat.partitionPath),
      long("total_files_added")(_.count(_.stat.isOfNewGroup).toLong),
      long("total_files_updated")(_.count(!_.stat.isOfNewGroup).toLong),
      long("total_records_inserted")(sum(_.numInserts)),
      long("total_records_updated")(of => sum(_.numUpdateWrites)(of.filter(!_.stat.isOfNewGroup))),
      long("total_bytes_written")(sum(_.totalWriteBytes)),
      long("total_errors")(sum(_.writeErrors))
    )(table =>
      files(commit(instant)(table)).toSeq.groupBy(_.stat.partitionPath).toSeq.sortBy(_._1)
        .iterator.map(_._2)
    )
  }

  /** Bytes and rows of one commit. */
  def commitWriteStats(instant: String): StockRows = of[Entry](
    text("action")(_.action),
    long("total_bytes_written")(_.sum(_.totalWriteBytes)),
    long("total_records_written")(_.sum(_.numWrites)),
    long("avg_record_size") { entry =>
      val rows = entry.stats.map(_.numWrites).sum
      Option.when(rows > 0)((entry.stats.map(_.totalWriteBytes).sum + rows - 1) / rows)
    }
  )(commit(instant))

  /** Properties that writers store in commits besides the files.
    * @param instant the commit; None: all
    * @param key     the key; None: all */
  def extraMetadata(instant: Option[String], key: Option[String]): StockRows =
    of[(Entry, (String, String))](
      text("instant_time")(_._1.time),
      text("action")(_._1.action),
      text("metadata_key")(_._2._1),
      text("metadata_value")(_._2._2)
    ) { table =>
      for {
        entry <- instant.fold(committed(table))(commit(_)(table))
        pair <- entry.at.metadata.toSeq.flatMap(stored).sorted
        if key.forall(_ == pair._1)
      } yield entry -> pair
    }

  private def stored(of: CommitMetadata): Seq[(String, String)] =
    of.extra.toSeq ++ Seq(of.schema).filter(_.nonEmpty).map("schema" -> _)

  /** Completed cleans of the active timeline. */
  val cleans: StockRows = of[(Entry, GenericRecord)](
    text("clean_time")(_._1.time),
    text("state_transition_time")(_._1.completion),
    text("action")(_._1.action),
    text("start_clean_time")(field("startCleanTime")),
    long("time_taken_in_millis")(field("timeTakenInMillis")),
    int("total_files_deleted")(field("totalFilesDeleted")),
    text("earliest_commit_to_retain")(field("earliestCommitToRetain")),
    text("last_completed_commit_timestamp")(field("lastCompletedCommitTimestamp")),
    int("version")(field("version"))
  )(done("clean"))

  /** Completed rollbacks of the active timeline. */
  val rollbacks: StockRows = of[((Entry, GenericRecord), String)](
    text("instant")(of => field("startRollbackTime")(of._1)),
    text("rollback_instant")(_._2),
    int("total_files_deleted")(of => field("totalFilesDeleted")(of._1)),
    long("time_taken_in_millis")(of => field("timeTakenInMillis")(of._1)),
    int("total_partitions")(of => field("partitionMetadata")(of._1))
  ) { table =>
    for {
      of <- done("rollback")(table)
      lost <- texts(of._2.get("commitsRollback"))
    } yield of -> lost
  }

  private def done(action: String)(table: HudiliteTable): Iterator[(Entry, GenericRecord)] =
    entries(table, i => i.action == action && i.state == Instant.Completed)
      .flatMap(entry => entry.record.map(entry -> _))

  /** Value of a field; of a map, the number of its entries. */
  private def field(name: String)(of: (Entry, GenericRecord)): Option[Any] =
    if (!of._2.hasField(name)) None
    else
      Option(of._2.get(name)).map {
        case text: CharSequence => text.toString
        case map: java.util.Map[_, _] => map.size
        case number => number
      }

  private def texts(list: Any): Seq[String] = list match {
    case items: java.util.Collection[_] => items.asScala.toSeq.map(_.toString)
    case _ => Nil
  }

  /** Compactions of the active timeline, those that stock Hudi has planned too. How many file groups
    * such a plan has is NULL. */
  val compactions: StockRows = of[Entry](
    text("timestamp")(_.time),
    int("operation_size")(_.at.metadata.map(_.stats.size)),
    text("state")(_.state)
  ) { table =>
    entries(table, i => i.isWrite || i.action == "compaction").filter { entry =>
      entry.at.metadata.fold(entry.at.instant.action == "compaction")(_.isCompaction)
    }
  }

  /** Savepoints. */
  val savepoints: StockRows = of[String](text("savepoint_time")(identity))(table =>
    new Savepoints(table.timeline).instants().reverseIterator
  )

  /** Properties of the table, ordered by their keys. */
  val properties: StockRows = of[(String, String)](
    text("key")(_._1),
    text("value")(_._2)
  )(_.config.properties.toSeq.sorted.iterator)

  /** Instants of the active timeline, oldest first. */
  val timeline: StockRows = of[Entry](
    text("Timestamp")(_.time),
    text("Action")(_.action),
    text("State")(_.state),
    text("Completion_Time")(_.completion),
    text("File_Name")(_.fileName),
    long("Total_Bytes_Written")(_.sum(_.totalWriteBytes)),
    long("Total_Files_Updated")(_.number(!_.isOfNewGroup)),
    long("Total_Partitions_Written")(_.partitions),
    long("Total_Records_Written")(_.sum(_.numWrites)),
    long("Total_Updated_Records_Written")(_.sum(_.numUpdateWrites)),
    long("Total_Write_Errors")(_.sum(_.writeErrors))
  )(table => entries(table, _ => true).toSeq.reverseIterator)

  /** Latest file slice of each file group, ordered by partition and file id. */
  val slices: StockRows = of[FileSlice](
    text("File_ID")(_.fileId),
    text("Partition_Path")(_.partition),
    text("Base_Instant_Time")(_.instant),
    text("Base_File_Path")(slice => slice.baseName.map(_ => slice.path.toString)),
    long("Base_File_Size")(slice => slice.baseName.map(_ => slice.base.length)),
    long("Log_File_Count")(_.logs.size.toLong),
    long("Log_File_Size")(_.logs.map(_.length).sum)
  )(table => new FileList(table).slices.iterator)
}
