package hudilite.spark.bootstrap

import scala.collection.mutable

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

import hudilite.format.{FileId, PartitionPath, TableConfig}
import hudilite.io.Storage
import hudilite.spark.bootstrap.BootstrapSource.ListedFile
import hudilite.spark.catalog.{SessionTables, TableDeclaration}
import hudilite.spark.plan.{FooterFilters, KeyText}
import hudilite.spark.read.PartitionFilter
import hudilite.timeline.Instant

/** Layout of the table that a bootstrap creates: where it lies, which source files it takes and to
  * which file groups they belong. Holds values only.
  * @param basePath    location of the new table
  * @param source      the listed source
  * @param files       source files that match `partitions`, ordered by path
  * @param columns     columns of the first readable file, without the source's partition columns
  * @param isRewritten whether the files with these partition values are rewritten; the others are
  *                    adopted */
final class BootstrapLayout private (
    val request: BootstrapRequest,
    val basePath: Path,
    val source: BootstrapSource,
    val files: IndexedSeq[ListedFile],
    val columns: StructType,
    isRewritten: InternalRow => Boolean
) {

  /** Whether a file is adopted. The rows of other files are rewritten. */
  def isAdopted(file: ListedFile): Boolean = !isRewritten(file.values)

  /** Returns the declaration of the table.
    * @param ofFiles columns of its files, without the partition columns of the source
    * Errors: HUDILITE_ARGUMENT_INVALID, HUDILITE_KEY_COLUMN_INVALID, HUDILITE_UNSUPPORTED_CLAUSE,
    * HUDILITE_UNSUPPORTED_TYPE, HUDILITE_INVALID_NAME. */
  def declaration(ofFiles: StructType): TableDeclaration = TableDeclaration.over(
    request.table,
    StructType(ofFiles ++ source.partitionColumns.map(_.copy(nullable = true))),
    request.key,
    partitionFields,
    request.buckets,
    request.location.map(_ => basePath.toString),
    request.isMergeOnRead,
    request.ordering
  ).copy(tuned = Option.when(request.asksForFilters)(FooterFilters.name -> "true").toMap)

  /** Returns the facts for hoodie.properties.
    * @param uuid uuid of the table */
  def config(declaration: TableDeclaration, uuid: String): TableConfig =
    declaration.config(uuid).bootstrapped(source.base.toString, adopts = files.exists(isAdopted))

  /** Returns the place of each file, in the order of [[files]].
    * @param uuid uuid of the table
    * Errors: HUDILITE_PARTITION_VALUE_INVALID for a partition value that cannot be a folder
    * name. */
  def placed(uuid: String): Seq[PlacedFile] = {
    val inPartition = mutable.Map.empty[String, Int]
    val paths = mutable.Map.empty[InternalRow, String]
    files.zipWithIndex.map { case (file, ordinal) =>
      val partition = paths.getOrElseUpdate(file.values, pathOf(file.values))
      val number = inPartition.getOrElse(partition, 0)
      inPartition(partition) = number + 1
      PlacedFile(
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

  private def partitionFields: Seq[String] = {
    val found = source.partitionColumns.fieldNames.toSeq
    request.partitionedBy.fold(found) { asked =>
      val isSame = asked.size == found.size &&
        asked.zip(found).forall { case (a, b) => a.equalsIgnoreCase(b) }
      if (!isSame && !request.isFull)
        throw request.invalid(
          "partitioned_by",
          asked.mkString(", "),
          (if (found.isEmpty) "The source has no partitions."
           else s"The source has the partition columns ${found.mkString(", ")}.") +
            " Remove the argument, or write mode => 'full'."
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
}

object BootstrapLayout {

  /** Estimated bytes that one file adds to the file of a numbered commit, without its partition
    * path. */
  private val bytesAFile = 1150L

  /** Lays a table out: lists the source and reads footers up to the first file with rows. Runs on
    * the driver and writes nothing.
    *
    * Errors: HUDILITE_BOOTSTRAP_SOURCE_INVALID, HUDILITE_ARGUMENT_INVALID; Spark's own for a
    * database that does not exist and a table that exists. */
  def of(session: SparkSession, request: BootstrapRequest): BootstrapLayout = {
    val basePath = new SessionTables(session).placeOf(request.table, request.location)
    val source = BootstrapSource.of(session, request.source)
    checkApart(request, basePath, source.base)
    def filter(argument: String, text: Option[String]) = PartitionFilter.of(
      session,
      text,
      source.partitionColumns,
      fix => request.invalid(argument, text.getOrElse(""), fix)
    )
    val files = taken(request, source, filter("partitions", request.partitions))
    val isRewritten: InternalRow => Boolean =
      if (request.isFull) _ => true
      else if (request.fullPartitions.isEmpty) _ => false
      else filter("full_partitions", request.fullPartitions)
    val columns = FirstColumns.of(request, files, session.sessionState.newHadoopConf())
    new BootstrapLayout(
      request,
      basePath,
      source,
      files,
      SourceColumns.ofFiles(columns, source.partitionColumns),
      isRewritten
    )
  }

  private def taken(
      request: BootstrapRequest,
      source: BootstrapSource,
      isTaken: InternalRow => Boolean
  ): IndexedSeq[ListedFile] = {
    val files = source.files.filter(file => isTaken(file.values)).toIndexedSeq
    if (files.isEmpty)
      throw request.invalid(
        "partitions",
        request.partitions.getOrElse(""),
        "No file of the source matches: write a condition that matches some of its partitions."
      )
    val commitBytes = files.map(file => bytesAFile + 3L * file.folder.length).sum
    if (commitBytes > Storage.maxReadBytes)
      throw BootstrapSource.invalid(
        request.source,
        s"it has ${files.size} files, which is too many for one commit",
        "Combine its small files first, or bootstrap fewer partitions: partitions => '...'."
      )
    files
  }

  private def checkApart(request: BootstrapRequest, basePath: Path, source: Path): Unit = {
    def store(path: Path) = Option(path.toUri.getAuthority).map(_.replaceFirst(":\\d+$", ""))
    def isBelow(path: Path, folder: Path) =
      store(path) == store(folder) &&
        s"${path.toUri.getPath}/".startsWith(s"${folder.toUri.getPath}/")
    if (isBelow(source, basePath) || isBelow(basePath, source))
      throw BootstrapSource.invalid(
        request.source,
        s"one of it and the table at $basePath contains the other",
        "Choose another location for the table."
      )
  }
}
