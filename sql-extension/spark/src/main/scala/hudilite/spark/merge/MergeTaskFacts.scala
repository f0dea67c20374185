package hudilite.spark.merge

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  BoundReference,
  Expression,
  UnsafeProjection
}
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.util.SerializableConfiguration

import hudilite.format.MetaFields
import hudilite.spark.plan.{MergeSpec, MetaColumns}
import hudilite.spark.read.SliceReaderFactory
import hudilite.spark.write.{FileLayout, PendingWrite}
import hudilite.timeline.TimelineLayout
import hudilite.view.{FileSlice, SnapshotView}

/** Everything a task needs to merge file groups; created on the driver and sent with the task.
  *
  * @param write           instant that the data files belong to
  * @param tableUuid       id of the table, from which the file ids of buckets are computed
  * @param isKeyless       whether the table has no key columns, so that new rows get made keys
  * @param complexKey      whether a record key contains the names of its columns
  * @param spec            clauses of the statement
  * @param target          attributes of the table's columns, as the clauses name them
  * @param source          attributes of a tagged row
  * @param newPartition    partition path of a row of the table, over `target`
  * @param schema          columns of the table, without meta columns
  * @param stored          those of them that base files store
  * @param avroSchema      Avro schema for the footers of new files, with meta columns
  * @param layout          settings of new files, such as the size of their row groups
  * @param factory         reads all columns of old base files
  * @param matchSchema     columns that decide which rows match, where they go and what their new
  *                        values are
  * @param matchFactory    reads the columns of `matchSchema`
  * @param changeSchema    columns that decide about changes, and on which all values of changed rows
  *                        depend
  * @param changeFactory   reads the columns of `changeSchema`
  * @param keys            reads the record keys
  * @param split           when a merge of a base file is split over several tasks
  * @param updated         columns that UPDATE clauses change, by their numbers in the table
  * @param takesSource     whether a tagged row itself contains the values of these columns
  * @param allColumns      all columns, to encode a row group completely
  * @param changedColumns  columns that an update changes; the others may be copied as bytes
  * @param partitions      every partition to look into, if ON does not pin one
  * @param replaces        whether this instant hides the old files: none of them is read
  * @param seeksEverywhere whether a source row may be sent to the partition where its key was
  *                        looked up, not to that of its values
  * @param sharesFolders   whether a folder may have rows of different partition values, as folders
  *                        that are dates do
  * @param appends         how many changes may be written to log files; None if none may
  * @param isBlind         whether they may be without reading the table, see [[BlindMerge]]
  * @param ordering        ordering fields by which readers merge log files, if they do
  * @param shared          data that grows with the table, broadcast once to each executor
  * @param sampled         for a preview, which writes no file: how many changed rows of each kind to
  *                        return of each file group
  */
final case class MergeTaskFacts(
    write: PendingWrite,
    tableUuid: String,
    isKeyless: Boolean,
    complexKey: Boolean,
    spec: MergeSpec,
    target: Seq[Attribute],
    source: Seq[Attribute],
    newPartition: Expression,
    schema: StructType,
    stored: StructType,
    avroSchema: String,
    layout: FileLayout,
    factory: SliceReaderFactory,
    matchSchema: StructType,
    matchFactory: SliceReaderFactory,
    changeSchema: StructType,
    changeFactory: SliceReaderFactory,
    keys: SliceReaderFactory,
    split: SplitLimits,
    updated: Seq[Int],
    takesSource: Boolean,
    allColumns: ReencodedColumns,
    changedColumns: ReencodedColumns,
    partitions: Option[Seq[String]],
    replaces: Boolean,
    seeksEverywhere: Boolean,
    sharesFolders: Boolean,
    appends: Option[LogLimits],
    isBlind: Boolean,
    ordering: Option[Seq[String]],
    shared: Broadcast[TableForTasks],
    sampled: Option[Int] = None
) {

  /** Whether nothing is written. */
  def isPreview: Boolean = sampled.nonEmpty

  /** Returns the facts for a preview: no file group is shared by several tasks, and all columns of
    * changed rows are read if some of these are to be returned.
    * @param rows changed rows of each kind to return of each file group */
  def previewing(rows: Int): MergeTaskFacts = {
    val counting = copy(sampled = Some(rows), split = split.copy(above = Long.MaxValue))
    if (rows == 0) counting
    else
      counting.copy(
        matchSchema = rowSchema,
        matchFactory = factory,
        changeSchema = rowSchema,
        changeFactory = factory,
        updated = target.indices,
        takesSource = false
      )
  }

  /** Attributes of an old row: meta columns, then table columns. */
  val oldRow: Seq[Attribute] = MergeTaskFacts.metaAttributes ++ target

  /** Attributes of an old row as the match pass reads it. */
  val matchRow: Seq[Attribute] = rowOf(matchSchema)

  /** Attributes of an old row as a merge into a log file reads it. */
  val changeRow: Seq[Attribute] = rowOf(changeSchema)

  private def rowOf(columns: StructType): Seq[Attribute] = {
    val byName = oldRow.map(a => a.name -> a).toMap
    columns.fieldNames.toSeq.map(byName)
  }

  /** Columns of a base file. */
  def fileSchema: StructType = MetaColumns.before(stored)

  /** Columns of an old row: meta columns, then table columns. */
  def rowSchema: StructType = MetaColumns.before(schema)

  /** Whether a base file has all columns of an old row. */
  def storesAll: Boolean = stored.size == schema.size

  /** Returns a projection of a row of [[rowSchema]] to the columns of a base file. */
  def ofFile: UnsafeProjection = UnsafeProjection.create(
    fileSchema.map { field =>
      BoundReference(rowSchema.fieldIndex(field.name), field.dataType, nullable = true)
    }
  )

  /** Whether inserted rows may be in log files: the index of a table without buckets does not look
    * them up there. */
  def insertsIntoLogs: Boolean = shared.value.fileGroups.isEmpty

  /** Whether a task merges a bucket over all partitions together, rather than one file group. */
  def spansPartitions: Boolean = partitions.isDefined
}

/** Table state for tasks, broadcast to executors.
  * @param view       decides which files of a listing are visible
  * @param conf       Hadoop configuration
  * @param fileGroups file groups by partition as the statement numbers them; None if the table has
  *                   buckets
  * @param hashFields key columns that are hashed, none in a table without buckets
  * @param timeline   layout of the timeline */
final case class TableForTasks(
    view: SnapshotView,
    conf: SerializableConfiguration,
    fileGroups: Option[Map[String, IndexedSeq[FileSlice]]],
    hashFields: Seq[String],
    timeline: TimelineLayout
) {
  @transient private lazy val listed = new ConcurrentHashMap[String, PartitionBuckets]

  /** Returns the buckets of a partition. All tasks of one executor list a partition once. */
  private[merge] def buckets(partition: String)(
      list: String => PartitionBuckets
  ): PartitionBuckets = listed.computeIfAbsent(partition, list(_))
}

object MergeTaskFacts {
  private val metaAttributes: Seq[Attribute] =
    MetaFields.all.map(name => AttributeReference(name, StringType)())
}
