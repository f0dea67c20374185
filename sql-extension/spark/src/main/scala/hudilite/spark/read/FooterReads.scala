package hudilite.spark.read

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkContext
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

import hudilite.error.HudiliteException
import hudilite.spark.error.Cancellation
import hudilite.view.{FileSlice, KnownFooters, OpenedFile, ShortFooter, TableSnapshot}

/** Reads of the footers of a table's base files, in Spark jobs.
  * @param table   name of the table, for the description of the jobs
  * @param options Parquet read options of the statement */
private[spark] final class FooterReads(
    spark: SparkSession,
    table: String,
    options: Map[String, String]
) {
  import FooterReads._

  private val context = spark.sparkContext

  /** Reads the footers of files that are not known, as long as there is room for them. What
    * cannot be read stays unknown: who reads rows of these files reports the error.
    * @param files base files alone, see [[isOfOne]]
    * @param most  largest number of footers to read */
  def learn(footers: KnownFooters, files: Seq[FileSlice], most: Int): Unit =
    footers.unknown(files).take(most).grouped(filesOfJob).forall { some =>
      footers.hasRoom && {
        val found = of(some)
        footers.keep(found)
        found.nonEmpty
      }
    }: Unit

  /** Reads footers in one job; none if it fails. */
  private def of(files: Seq[FileSlice]): Seq[(FileSlice, Option[ShortFooter])] = {
    val conf = new TaskSettings(spark, options).of(new StructType())
    val footers = inJob(context, s"footers of $table", files)(read(_, conf.value.value))
    files.zip(footers).collect { case (file, Some(footer)) => file -> footer }
  }
}

private[spark] object FooterReads {
  private val tasksPerCore = 4

  /** Files of one job, which bounds the size of its result. */
  private val filesOfJob = 500

  /** Whether a slice is a base file alone, so that its footer tells of all its rows. */
  def isOfOne(slice: FileSlice): Boolean = slice.isOnlyBase && slice.source.isEmpty

  /** Stores the footers of a table's base files, if there are so many that queries use footers.
    * If there is no room for all of them, it stores those of the newest files.
    * @param table  name of the table
    * @param slices file slices of the snapshot
    * Errors: those of [[hudilite.view.KnownFooters.store]]. */
  def store(
      spark: SparkSession,
      table: String,
      snapshot: TableSnapshot,
      slices: Seq[FileSlice]
  ): Unit = {
    val files = slices.filter(isOfOne).sortBy(_.instant).reverse
    if (files.size >= FileSkipping.leastFiles) {
      val footers = snapshot.footers
      footers.keepOnly(files)
      new FooterReads(spark, table, Map.empty).learn(footers, files, files.size)
      footers.store(files)
    }
  }

  /** Runs a function for each file in the tasks of one job; none if the job fails, unless
    * somebody has cancelled it.
    * @param text description of the job in Spark's user interface */
  private[read] def inJob[A](context: SparkContext, text: String, files: Seq[FileSlice])(
      read: FileSlice => Option[A]
  ): Seq[Option[A]] = {
    val tasks = math.min(files.size, context.defaultParallelism * tasksPerCore)
    val before = context.getLocalProperty(description)
    context.setJobDescription(text)
    try context.parallelize(files, tasks).map(read).collect().toSeq
    catch { case NonFatal(e) if !Cancellation.isIn(e) => Nil }
    finally context.setJobDescription(before)
  }

  private val description = "spark.job.description"

  /** Reads what is kept of a footer, None within for a file that is damaged or encrypted; None
    * for one that cannot be opened now. */
  private def read(slice: FileSlice, conf: Configuration): Option[Option[ShortFooter]] =
    try Some(OpenedFile(slice, conf)(opened => ShortFooter.of(opened.reader.getFooter)))
    catch {
      case e: HudiliteException if e.condition == "HUDILITE_CORRUPT_DATA_FILE" => Some(None)
      case NonFatal(_) => None
    }
}
