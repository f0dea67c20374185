package hudilite.spark.rewrite

import org.apache.hadoop.fs.Path
import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Literal, UnsafeProjection}
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.SerializableConfiguration

import hudilite.error.HudiliteException
import hudilite.format.MetaFields
import hudilite.io.Storage
import hudilite.spark.merge.{BaseFileRows, FileGroupResult, SpillingSort}
import hudilite.spark.read.SliceReaderFactory
import hudilite.spark.write.{
  BaseFileWriter,
  FileLayout,
  FooterKeys,
  FooterPlan,
  NewDataFile,
  OldFooterKeys,
  PendingWrite,
  TaskAttempt
}
import hudilite.view.{FileSlice, SliceBase}

/** Writer of existing rows into new base files, for one instant (task side). Rows keep their meta
  * columns except `_hoodie_file_name`.
  * @param pending instant that the files belong to
  * @param columns columns of the new files: meta columns, then the table's
  * @param factory reads the same columns from the old files, in the same order and by their old
  *                names */
final case class BaseFileRewriter(
    pending: PendingWrite,
    columns: StructType,
    avroSchema: String,
    layout: FileLayout,
    factory: SliceReaderFactory,
    conf: Broadcast[SerializableConfiguration]
) {
  private lazy val keyAt = columns.fieldIndex(MetaFields.RecordKey)

  /** Writes one base file. If the task fails, the file is deleted.
    * @param previous slice of the same file group that the new file replaces; without a base, the
    *                 new file is the first one of the group
    * @param slices   the slices to read
    * @param copy     receives their rows, each slice's in the order of its keys, and a function
    *                 that takes a key and its row
    * Errors: HUDILITE_CORRUPT_DATA_FILE, HUDILITE_WRITE_ROLLED_BACK. */
  def write(
      partition: String,
      fileId: String,
      previous: Option[FileSlice],
      slices: Seq[FileSlice]
  )(copy: (Seq[BaseFileRows], (UTF8String, InternalRow) => Unit) => Unit): FileGroupResult = {
    val attempt = new TaskAttempt(TaskContext.get())
    val replaced = previous.filter(_.base != SliceBase.NoBase)
    val plan = FooterPlan.ofAllKeys(
      layout.filters,
      slices.exists(OldFooterKeys.hasFilter(_, conf.value.value))
    )
    val file = new BaseFileRewriter.Target(this, attempt, partition, fileId, replaced, plan)
    file.start()
    copy(slices.map(open(_, file.name)), file.add)
    file.finish()
  }

  /** Writes the first base file of a new file group. If the task fails, the file is deleted.
    * @param attempt attempt of the task, the same for all its files
    * @param rows    rows in the order of their keys; columns that follow `columns` are left out
    * Errors: HUDILITE_CORRUPT_DATA_FILE for a row without a key, HUDILITE_WRITE_ROLLED_BACK. */
  def create(
      attempt: TaskAttempt,
      partition: String,
      fileId: String,
      rows: Iterator[InternalRow]
  ): FileGroupResult = {
    val plan = FooterPlan.ofAllKeys(layout.filters, hadFilter = false)
    val file = new BaseFileRewriter.Target(this, attempt, partition, fileId, None, plan)
    file.start()
    BaseFileRows.named(rows, columns, UTF8String.fromString(file.name))
      .foreach(row => file.add(row.getUTF8String(keyAt), row))
    file.finish()
  }

  /** Writes rows of several slices, which have no key in common, into the first base file of a new file
    * group. If the task fails, the file is deleted.
    * @param attempt attempt of the task
    * @param slices  the slices
    * @param rows    their rows in any order
    * @param check   is called with each key
    * Errors: HUDILITE_CORRUPT_DATA_FILE for a row without a key, HUDILITE_WRITE_ROLLED_BACK. */
  def join(
      attempt: TaskAttempt,
      partition: String,
      fileId: String,
      slices: Seq[FileSlice],
      rows: Iterator[InternalRow]
  )(check: UTF8String => Unit): FileGroupResult = {
    val hadFilter = slices.exists(OldFooterKeys.hasFilter(_, conf.value.value))
    val plan = FooterPlan.ofAllKeys(layout.filters, hadFilter)
    val file = new BaseFileRewriter.Target(this, attempt, partition, fileId, None, plan)
    file.start()
    val named = BaseFileRows.named(rows, columns, UTF8String.fromString(file.name))
    SpillingSort.byColumn(named, columns, keyAt).foreach { row =>
      val key = row.getUTF8String(keyAt)
      Option(key).foreach(check)
      file.add(key, row)
    }
    file.finish()
  }

  /** Writes the rows of a slice into the next slice of its file group.
    * @param without keys whose rows are dropped */
  def copy(slice: FileSlice, without: Set[UTF8String] = Set.empty): FileGroupResult = {
    var dropped = 0L
    val done = write(slice.partition, slice.fileId, Some(slice), Seq(slice)) { (open, add) =>
      open.foreach { rows =>
        while (rows.hasRow) {
          if (without(rows.key)) dropped += 1 else add(rows.key, rows.row)
          rows.advance()
        }
      }
    }
    done.copy(deletes = dropped)
  }

  /** Writes the rows of a slice into several new file groups of its partition. A file group to which no
    * row goes gets no file. If the task fails, the files are deleted.
    * @param fileIds ids of the file groups
    * @param place   returns the index of the file group that gets the row with a key; None: no one
    * Errors: HUDILITE_CORRUPT_DATA_FILE, HUDILITE_WRITE_ROLLED_BACK. */
  def divide(slice: FileSlice, fileIds: IndexedSeq[String])(
      place: UTF8String => Option[Int]
  ): Seq[FileGroupResult] = {
    val attempt = new TaskAttempt(TaskContext.get())
    val plan =
      FooterPlan.ofAllKeys(layout.filters, OldFooterKeys.hasFilter(slice, conf.value.value))
    val files = fileIds.map { fileId =>
      new BaseFileRewriter.Target(this, attempt, slice.partition, fileId, None, plan)
    }
    val named = files.map(file => BaseFileRewriter.naming(columns, file.name))
    val rows = open(slice, "")
    while (rows.hasRow) {
      place(rows.key).foreach(i => files(i).add(rows.key, named(i)(rows.row)))
      rows.advance()
    }
    files.filter(_.hasRows).map(_.finish())
  }

  /** Opens a slice and sorts its rows: its footer is not trusted to say whether they are sorted, and
    * rows of log files come after those of the base. */
  private def open(slice: FileSlice, name: String): BaseFileRows =
    BaseFileRows.open(factory, slice, columns, sorted = false, UTF8String.fromString(name))
}

object BaseFileRewriter {

  /** Returns a projection that puts the name of a file into its rows. */
  private def naming(columns: StructType, name: String): UnsafeProjection =
    UnsafeProjection.create(columns.fields.toSeq.zipWithIndex.map { case (field, i) =>
      if (field.name == MetaFields.FileName) Literal(UTF8String.fromString(name), StringType)
      else BoundReference(i, field.dataType, field.nullable)
    })

  /** New base file that is being written.
    * @param previous slice with a base, which the file replaces */
  private final class Target(
      of: BaseFileRewriter,
      attempt: TaskAttempt,
      partition: String,
      fileId: String,
      previous: Option[FileSlice],
      plan: FooterPlan
  ) {
    private val hadoop = of.conf.value.value
    private val storage = Storage.of(new Path(of.pending.basePath), hadoop)
    private val keys = new FooterKeys(plan, of.avroSchema, of.layout.filterType)
    private var rows = 0L
    private val file = new NewDataFile(
      of.pending,
      storage,
      attempt,
      partition,
      fileId,
      isFirst = previous.isEmpty
    )(new BaseFileWriter(_, hadoop, of.columns, of.layout, () => keys.footer(rows)))

    val name: String = file.name

    /** Whether a row was added. */
    def hasRows: Boolean = rows > 0

    /** Creates the file, which then exists even if no row comes. */
    def start(): Unit = file.writer: Unit

    def add(key: UTF8String, row: InternalRow): Unit = {
      if (Option(key).isEmpty)
        throw HudiliteException(
          "HUDILITE_CORRUPT_DATA_FILE",
          "path" -> previous.fold(file.path)(_.path).toString,
          "reason" -> "a row has no record key"
        )
      keys.add(key)
      file.writer.write(row)
      rows += 1
    }

    def finish(): FileGroupResult = {
      NewDataFile.seal(of.pending, storage, Seq(file.close()))
      FileGroupResult(
        partition,
        fileId,
        Some(name),
        previous.map(_.instant),
        previous.map(_.fileName),
        rows,
        inserts = 0,
        updates = 0,
        deletes = 0,
        movedIn = 0,
        movedOut = 0,
        file.length,
        partitionFileGroups = 0
      )
    }
  }
}
