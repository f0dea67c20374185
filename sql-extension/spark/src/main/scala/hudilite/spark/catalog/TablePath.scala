package hudilite.spark.catalog

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.Identifier

import hudilite.io.Storage
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.plan.HudiProvider
import hudilite.timeline.TimelineFiles

/** Opens a table by path: the table's own folder, or folders of its partitions, with globs. All
  * paths of one read see the same snapshot of the table. */
object TablePath {

  /** Condition of a path that cannot be opened. */
  val condition: String = "HUDILITE_PATH_INVALID"

  /** SQL name of a table by path: hudilite.`/path`. */
  def nameOf(path: String): String = s"${SessionTables.provider}.`$path`"

  /** Whether an identifier is hudilite.`/path`; no table can have such a name.
    * Errors: HUDILITE_PROVIDER_UNSET for hudi.`/path`. */
  def isPath(ident: Identifier): Boolean = ident.namespace match {
    case Array(provider) if ident.name.contains("/") =>
      if (HudiProvider.isNobodys(provider))
        throw HudiProvider.unset(s"$provider.`${ident.name}`", nameOf(ident.name))
      HudiProvider.isOurs(provider)
    case _ => false
  }

  /** Whether a path is a table or a part of one. */
  def exists(spark: SparkSession, path: String): Boolean =
    try opened(spark, Seq(path)).isRight
    catch { case e: AnalysisException if e.getCondition == condition => false }

  /** @param paths  absolute, or relative to the working directory
    * @param travel earlier state to read; None: the latest
    * Errors: HUDILITE_PATH_INVALID, those of HudiliteTable.open. */
  def open(
      spark: SparkSession,
      paths: Seq[String],
      travel: Option[TimeTravel] = None
  ): HudiliteTable =
    opened(spark, paths, travel).fold(path => throw absent(spark, path), identity)

  /** Opens a table, or returns the first path that belongs to no table.
    * Errors: HUDILITE_PATH_INVALID for other faults of a path, those of HudiliteTable.open. */
  def opened(
      spark: SparkSession,
      paths: Seq[String],
      travel: Option[TimeTravel] = None
  ): Either[String, HudiliteTable] = {
    if (paths.isEmpty) throw noPath
    val (missing, found) = paths.partitionMap(path => find(spark, path).toRight(path))
    missing.headOption.toLeft(openFound(spark, paths, found, travel))
  }

  private def openFound(
      spark: SparkSession,
      paths: Seq[String],
      found: Seq[(Path, Seq[String])],
      travel: Option[TimeTravel]
  ): HudiliteTable = {
    val (root, _) = found.head
    found.find(_._1 != root).foreach { case (other, _) =>
      throw invalid(
        other.toString,
        s"it does not belong to the table of ${paths.head}",
        "Load each table separately, and combine them with UNION."
      )
    }
    val parts = found.map(_._2)
    val isWhole = parts.exists(_.isEmpty)
    val table = HudiliteTable.open(
      spark,
      nameOf(paths.mkString(",")),
      root,
      Map("provider" -> SessionTables.provider, "location" -> root.toString, "external" -> "true"),
      if (isWhole) Nil else parts,
      travel
    )
    if (!isWhole) paths.zip(parts).foreach { case (path, part) => checkPart(table, path, part) }
    table
  }

  /** Error for a read or write without a path. */
  def noPath: AnalysisException =
    invalid("", "no path was given", "Write load('/path/of/table') or save('/path/of/table').")

  /** Returns the table's folder, which is the nearest one at or above the path with a
    * hoodie.properties, and the names of the folders between it and the path. */
  def find(spark: SparkSession, path: String): Option[(Path, Seq[String])] = {
    val conf = spark.sessionState.newHadoopConf()
    val full = Storage.qualified(new Path(path), conf)
    val storage = Storage.of(full, conf)
    val above = Iterator.iterate(Option(full))(_.flatMap(p => Option(p.getParent)))
      .takeWhile(_.nonEmpty).flatten
    above
      .find(TimelineFiles.hasProperties(storage, _))
      .map { root =>
        val depth = full.depth - root.depth
        root -> Seq.iterate(full, depth)(_.getParent).map(_.getName).reverse
      }
  }

  /** Error for a path that belongs to no table; names Delta or Iceberg if it is theirs. */
  private[spark] def absent(spark: SparkSession, path: String): AnalysisException = {
    val conf = spark.sessionState.newHadoopConf()
    val full = Storage.qualified(new Path(path), conf)
    ForeignTable.around(Storage.of(full, conf), full) match {
      case Some(other) =>
        invalid(
          path,
          s"${other.folder} contains a table of ${other.project}, not of Hudi",
          s"Read it with spark.read.format('${other.provider}').load('${other.folder}'), or copy " +
            s"its rows: CREATE TABLE ... USING ${SessionTables.provider} AS SELECT ..."
        )
      case None =>
        invalid(
          path,
          "neither this folder nor one above it contains a Hudi table",
          "Create a table with CREATE TABLE ... USING hudilite LOCATION '...'."
        )
    }
  }

  private def checkPart(table: HudiliteTable, path: String, part: Seq[String]): Unit =
    if (table.snapshot.of(Seq(part)).partitions().isEmpty)
      throw invalid(
        path,
        s"it is not a partition of table ${table.basePath}",
        s"Load ${table.basePath} and filter its rows."
      )

  private def invalid(path: String, reason: String, fix: String): AnalysisException =
    AnalysisErrors.of(
      condition,
      "path" -> path,
      "reason" -> reason,
      "fix" -> fix
    )
}
