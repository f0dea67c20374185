package hudilite.procedures

import scala.collection.mutable

import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.types.StructType

import hudilite.error.HudiliteException
import hudilite.format.{FileId, PartitionPath}
import hudilite.io.Storage
import hudilite.procedures.BootstrapSource.Listed
import hudilite.procedures.BootstrapWork.Item
import hudilite.spark.catalog.{SessionTables, TableDeclaration}
import hudilite.spark.plan.KeyText
import hudilite.spark.read.{PartitionFilter, SliceReader}
import hudilite.timeline.Instant
import hudilite.view.{FileSlice, OpenedFile}

/** Plan of a bootstrap, made on the driver from the listing of the source and the footer of the
  * first readable file. Writes nothing.
  *
  * Errors: HUDILITE_BOOTSTRAP_SOURCE_INVALID, HUDILITE_ARGUMENT_INVALID,
  * HUDILITE_KEY_COLUMN_INVALID, HUDILITE_UNSUPPORTED_CLAUSE, HUDILITE_UNSUPPORTED_TYPE,
  * HUDILITE_INVALID_NAME; Spark's own for a database that does not exist and a table that
  * exists. */
private[procedures] final class BootstrapPlan(session: SparkSession, request: BootstrapRequest) {
  private val conf = session.sessionState.newHadoopConf()

  /** Base path of the new table. */
  val basePath: Path = new SessionTables(session).placeOf(request.table, request.location)

  val source: BootstrapSource = BootstrapSource.of(session, request.source)
  checkApart()

  private def filter(argument: String, text: Option[String]): InternalRow => Boolean =
    PartitionFilter.of(
      session,
      text,
      source.partitionColumns,
      fix => request.arguments.invalid(argument, text.getOrElse(""), fix)
    )

  /** Source files that match `partitions`, ordered by path. */
  val files: IndexedSeq[Listed] = {
    val isTaken = filter("partitions", request.partitions)
    val taken = source.files.filter(file => isTaken(file.values)).toIndexedSeq
    if (taken.isEmpty)
      throw request.arguments.invalid(
        "partitions",
        request.partitions.getOrElse(""),
        "It leaves no file of the source: name partitions that it has."
      )
    val told = taken.map(file => BootstrapPlan.bytesAFile + 3L * file.folder.length).sum
    if (told > Storage.maxReadBytes)
      throw BootstrapSource.invalid(
        request.source,
        s"it has ${taken.size} files, and one commit cannot name so many",
        "Write its small files together first, or take fewer with partitions => '...'."
      )
    taken
  }

  private val isRewritten: InternalRow => Boolean =
    if (request.isFull) _ => true
    else if (request.fullPartitions.isEmpty) _ => false
    else filter("full_partitions", request.fullPartitions)

  /** Columns of the first readable file, without the partition columns of the source. */
  val columns: StructType = BootstrapColumns.ofFiles(firstColumns, source.partitionColumns)

  /** Whether a file is adopted. The rows of other files are rewritten. */
  def isAdopted(file: Listed): Boolean = !isRewritten(file.values)

  /** Returns the declaration of the table.
    * @param ofFiles columns of its files, without the partition columns of the source */
  def declaration(ofFiles: StructType): TableDeclaration = TableDeclaration.over(
    request.table,
    StructType(ofFiles ++ source.partitionColumns.map(_.copy(nullable = true))),
    request.key,
    partitionFields,
    request.buckets,
    request.location.map(_ => basePath.toString)
  )

  /** Returns one item per file, in the order of [[files]].
    * @param uuid of the table
    * Errors: HUDILITE_PARTITION_VALUE_INVALID for a partition value that cannot be a folder
    * name. */
  def items(uuid: String): Seq[Item] = {
    val inPartition = mutable.Map.empty[String, Int]
    val paths = mutable.Map.empty[InternalRow, String]
    files.zipWithIndex.map { case (file, ordinal) =>
      val partition = paths.getOrElseUpdate(file.values, pathOf(file.values))
      val number = inPartition.getOrElse(partition, 0)
      inPartition(partition) = number + 1
      Item(
        ordinal,
        file.path.toString,
        file.length,
        file.values,
        partition,
        FileId.fileGroup(uuid, partition, Instant.bootstrap, number),
        isAdopted(file)
      )
    }
  }

  /** Groups the items into tasks. As in a Spark scan, an item costs its bytes plus
    * `spark.sql.files.openCostInBytes`. The number of tasks is a multiple of the default
    * parallelism, capped by `parallelism` and by the number of items. Expensive items are assigned
    * first, each to the task with the lowest cost so far. */
  def bins(items: Seq[Item]): Seq[Seq[Item]] = {
    val openCost = session.sessionState.conf.filesOpenCostInBytes
    def cost(item: Item) = item.length + openCost
    val total = items.map(cost).sum
    val cores = session.sparkContext.defaultParallelism.toLong
    val wanted = (total / FilePartition.maxSplitBytes(session, total) / cores + 1) * cores
    val most = request.parallelism.getOrElse(Int.MaxValue).min(items.size)
    val bins = Array.fill(wanted.min(most.toLong).toInt)(mutable.ArrayBuffer.empty[Item])
    val least = mutable.PriorityQueue.empty[(Long, Int)](Ordering[(Long, Int)].reverse)
    bins.indices.foreach(i => least.enqueue((0L, i)))
    items.sortBy(item => (-cost(item), item.ordinal)).foreach { item =>
      val (filled, bin) = least.dequeue()
      bins(bin) += item
      least.enqueue((filled + cost(item), bin))
    }
    bins.toSeq.map(_.sortBy(_.ordinal).toSeq)
  }

  private def partitionFields: Seq[String] = {
    val found = source.partitionColumns.fieldNames.toSeq
    request.partitionedBy.fold(found) { asked =>
      val isSame = asked.size == found.size &&
        asked.zip(found).forall { case (a, b) => a.equalsIgnoreCase(b) }
      if (!isSame && !request.isFull)
        throw request.arguments.invalid(
          "partitioned_by",
          asked.mkString(", "),
          s"The folders of the source are ${if (found.isEmpty) "no partitions"
            else
              s"partitions by ${found.mkString(", ")}"}: leave it out, or write mode => 'full'."
        )
      asked
    }
  }

  private def pathOf(values: InternalRow): String = {
    val texts = source.partitionColumns.zipWithIndex.map { case (column, i) =>
      val value = Literal(values.get(i, column.dataType), column.dataType)
      Option(KeyText.expression(value).eval()).map(_.toString).orNull
    }
    PartitionPath.encode(
      source.partitionColumns.fieldNames.toSeq,
      texts,
      hiveStyle = true,
      urlEncode = true
    )
  }

  /** Returns the columns of the first readable file. An unreadable file before it is an error,
    * unless `skip_corrupt` or `dry_run` is set. */
  private def firstColumns: StructType = {
    val isPatient = request.skipsCorrupt || request.isDryRun
    val tries = files.iterator.map(file => columnsOf(file))
    tries.collectFirst {
      case Right(found) => found
      case Left(fault) if !isPatient => throw fault
    }.getOrElse(throw BootstrapSource.invalid(
      request.source,
      "none of its files can be read as Parquet",
      "Name a folder with Parquet files."
    ))
  }

  private def columnsOf(file: Listed): Either[Throwable, StructType] = {
    val slice = FileSlice("", "", Instant.bootstrap, file.path, file.length)
    def read(reader: ParquetFileReader) = SliceReader.columnsOf(reader.getFileMetaData.getSchema)
    try Right(OpenedFile(slice, conf)(read))
    catch {
      case e: HudiliteException => Left(BootstrapPlan.unreadable(request, file.path.toString, e))
      case e: AnalysisException => Left(BootstrapPlan.unreadable(request, file.path.toString, e))
    }
  }

  private def checkApart(): Unit = {
    def isBelow(path: Path, folder: Path) =
      s"${path.toUri.getPath}/".startsWith(s"${folder.toUri.getPath}/")
    if (isBelow(source.base, basePath) || isBelow(basePath, source.base))
      throw BootstrapSource.invalid(
        request.source,
        s"it and the table at $basePath lie one in the other",
        "Choose another location for the table."
      )
  }
}

private[procedures] object BootstrapPlan {

  /** Estimated bytes that one file adds to the file of a numbered commit, without its partition
    * path. */
  private val bytesAFile = 1150L

  /** Builds the error for a source file that cannot be read. */
  def unreadable(request: BootstrapRequest, path: String, e: Throwable): HudiliteException = {
    val reason = HudiliteException.find(e).flatMap(_.parameters.get("reason"))
      .getOrElse(String.valueOf(e.getMessage))
    val told = BootstrapSource.unreadable(request.source, path, reason)
    new HudiliteException(told.condition, told.parameters, e)
  }
}
