package hudilite.spark.read

import java.util.Locale

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.parquet.filter2.predicate.{FilterPredicate, LogicalInverseRewriter}
import org.apache.parquet.filter2.statisticslevel.StatisticsFilter
import org.apache.parquet.hadoop.metadata.ColumnPath
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.expressions.Expressions
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

import hudilite.spark.plan.MetaColumns
import hudilite.view.{FileSlice, ShortFooter, TableSnapshot}

/** Skipping of the base files in which no row passes the filters of a query, by the statistics
  * in their footers (driver side). A file is judged with the condition by which the reader
  * judges its row groups. A slice with log files or with a skeleton stays, and so does a file
  * whose footer cannot be read.
  *
  * Footers are kept in memory, see [[hudilite.view.KnownFooters]]. Others are read only if that
  * is likely to pay: at first a sample of them, then the rest if enough files of the sample are
  * skipped.
  * @param table   name of the table
  * @param schema  columns of the table
  * @param filters filters that are all true for a wanted row
  * @param options Parquet read options of the statement */
private[read] final class FileSkipping(
    spark: SparkSession,
    table: String,
    snapshot: TableSnapshot,
    schema: StructType,
    filters: Seq[Filter],
    options: Map[String, String]
) {
  import FileSkipping._

  private val conf = spark.sessionState.conf
  private val footers = snapshot.footers
  private val reads = new FooterReads(spark, table, options)
  private lazy val calendar = SliceReader.calendarOf(conf, options)
  private val ofGroups = RowGroupFilters.of(
    conf,
    PathColumns.usable(snapshot.config, filters.toArray).toSeq,
    CharVarcharUtils.replaceCharVarcharWithStringInSchema(MetaColumns.before(schema))
  )
  private val conditions = mutable.Map.empty[ShortFooter.Kind, Option[Condition]]

  /** Returns the selection without the files that have no wanted row. Few files are not looked
    * at, as their tasks open them at the same time. */
  def narrowed(all: SliceSelection): SliceSelection = {
    val files = if (ofGroups.filters.isEmpty) Nil else all.slices.filter(FooterReads.isOfOne)
    if (files.size < leastFiles) all else all.without(useless(files.toVector).toSet)
  }

  private def useless(files: Vector[FileSlice]): Seq[FileSlice] = {
    if (!footers.hasRoom) footers.keepOnly(files)
    val some = sample(files)
    reads.learn(footers, some, some.size)
    val (ofSome, known) = (some.filter(hasNoRow), some.count(footers.of(_).nonEmpty))
    if (known == 0 || 2 * ofSome.size < known) ofSome
    else {
      reads.learn(footers, files, mostRead)
      files.filter(hasNoRow)
    }
  }

  /** Whether the footer of a file is known and shows that no row passes. */
  private def hasNoRow(file: FileSlice): Boolean = footers.of(file).exists { footer =>
    try condition(footer.kind).exists(_.hasNoRow(footer))
    catch { case NonFatal(_) => false }
  }

  private def condition(kind: ShortFooter.Kind): Option[Condition] =
    conditions.getOrElseUpdate(
      kind,
      ofGroups.predicate(kind.file, calendar).map { of =>
        val columns = kind.paths.filter(path => named(lower(path.toArray.head)))
        Condition(LogicalInverseRewriter.rewrite(of), columns.toSet)
      }
    )

  /** Names of the columns in the filters, in lower case. */
  private lazy val named: Set[String] = ofGroups.filters.flatMap(_.references)
    .map(name => lower(Expressions.column(name).fieldNames.head)).toSet
}

private[read] object FileSkipping {

  /** Condition on the files of one kind.
    * @param columns columns of these files that it may name */
  private final case class Condition(predicate: FilterPredicate, columns: Set[ColumnPath]) {

    /** Whether the statistics of a file show that no row passes. */
    def hasNoRow(footer: ShortFooter): Boolean =
      StatisticsFilter.canDrop(predicate, footer.chunks(columns))
  }

  private def lower(name: String) = name.toLowerCase(Locale.ROOT)

  /** Least number of files for which footers are read on the driver's behalf. */
  private[read] val leastFiles = 16

  /** Number of files by which the others are judged. */
  private val sampled = 16

  /** Most footers that are read for one query. */
  private val mostRead = 10000

  /** Returns files that lie evenly among all, the same ones each time. */
  private[read] def sample[A](files: Vector[A]): Vector[A] =
    if (files.size <= sampled) files
    else Vector.tabulate(sampled)(i => files((i.toLong * files.size / sampled).toInt))
}
