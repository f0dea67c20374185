package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{
  DoubleType,
  IntegerType,
  LongType,
  StringType,
  StructType
}

import hudilite.format.IndexKind
import hudilite.index.BucketSizes
import hudilite.sizing.BucketAdvice.{Adopt, Bloom, Bucketed, Buckets, Folder, Keep, NoBuckets}
import hudilite.sizing.{BucketAdvice, TableSizes}
import hudilite.spark.bootstrap.SourceSizes
import hudilite.spark.catalog.CallText
import hudilite.spark.meta.MetadataRows
import hudilite.spark.plan.FileSizes

/** Procedure `CALL advise_buckets(table => 'db.t' [, target_file_size => '128m'] [, days => 90])`,
  * or with `path => '/data/events'` instead of the table. Returns one row: sizes and growth of the
  * files of a table, or of a folder of Parquet files, the number of buckets that gives files of the
  * target size for some days, what a rewrite costs, and what to do. Runs on the driver. Of a table
  * it lists partitions, reads commits and opens no base file; of a folder it reads a few footers.
  *
  * Errors: those of [[Arguments]]; HUDILITE_ARGUMENT_INVALID for both or none of table and path;
  * HUDILITE_UNSUPPORTED_STATEMENT for a table without a declared index;
  * HUDILITE_BOOTSTRAP_SOURCE_INVALID for a path without Parquet files; those of a scan.
  * Source: hoodie.parquet.max.file.size. */
final class AdviseBuckets(catalog: TableCatalog) extends Procedure {

  override def name: String = "advise_buckets"
  override def purpose: String =
    "Advises a number of buckets for a table or a folder of Parquet files, by sizes and growth."
  override def example: String = "CALL advise_buckets(table => 'db.t', target_file_size => '128m')"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.optional("table", "name of the table"),
    Procedure.optional("path", "instead: folder with Parquet files, or name of a Parquet table"),
    Procedure.optional("target_file_size",
      "size that files should have, such as 128m; by default 120m, in a table without buckets " +
        FileSizes.MaxSize),
    Procedure.optional("days", "number of days for which files should keep that size, 1 or more",
      IntegerType, "90")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val target = arguments.fileSizeOrNone(2, "target_file_size")
    val days = arguments.number(3, "days", 1)
    val row = (arguments.textOrNone(0), arguments.textOrNone(1)) match {
      case (Some(_), None) => ofTable(arguments, target, days)
      case (None, Some(path)) => ofFolder(path.trim, target, days)
      case (None, None) =>
        throw arguments.invalid("table", "NULL", "Write the name of a table, or a path.")
      case (Some(_), Some(path)) =>
        throw arguments.invalid("path", path, "Write one of table and path.")
    }
    Result.of(AdviseBuckets.schema, Seq(row))
  }

  private def ofTable(arguments: Arguments, target: Option[Long], days: Int): InternalRow = {
    val table = arguments.table(0, "table")
    arguments.checkDeclared(table)
    val config = table.config
    val sizes = TableSizes.of(table.snapshot, System.currentTimeMillis)
    val layout = config.index match {
      case IndexKind.Bucket(count, hashed) => Bucketed(count, hashed == config.recordKeyFields)
      case IndexKind.Bloom => Bloom(config.hasKeyColumns)
    }
    def ofFact = FileSizes.maxSize(SparkSession.active.sessionState.conf, config.properties)
    val bytes = target.getOrElse(if (config.hasBuckets) BucketSizes.wished else ofFact)
    val advice = BucketAdvice.of(layout, sizes, bytes, days)
    val copy = new CopyText(catalog, arguments)
    def rescales(count: Int) = table.snapshot.counts.exists(counts =>
      counts.canBecome(count) || counts.areMixed && Seq(counts.own, counts.other).contains(count)
    )
    val statement = advice.change match {
      case Buckets(count, false) if rescales(count) =>
        Some(CallText.of(table, "rescale", "buckets" -> count))
      case Buckets(count, wholeKey) => Some(copy.of(table, s"_$count", Some(count), wholeKey))
      case NoBuckets => Some(copy.of(table, "_bloom", None))
      case Keep | Adopt => None
    }
    AdviseBuckets.row(layout, sizes, days, advice, statement)
  }

  private def ofFolder(path: String, target: Option[Long], days: Int): InternalRow = {
    val session = SparkSession.active
    val sizes = SourceSizes.of(session, path)
    val bytes = target.getOrElse(FileSizes.maxSize(session.sessionState.conf, Map.empty))
    val advice = BucketAdvice.of(Folder, sizes, bytes, days)
    val source =
      Seq[(String, Any)]("table" -> "new_table", "source" -> path, "key" -> "key_columns")
    val full = "mode" -> "full"
    val more: Seq[(String, Any)] = advice.change match {
      case Buckets(count, _) => Seq(full, "buckets" -> count)
      case NoBuckets => Seq(full)
      case Keep | Adopt => Nil
    }
    val statement = new CallText(catalog.name).of("bootstrap", source ++ more: _*)
    AdviseBuckets.row(Folder, sizes, days, advice, Some(statement))
  }
}

object AdviseBuckets {
  private val schema: StructType = new StructType()
    .add("index", StringType)
    .add("partitions", LongType, nullable = false)
    .add("files", LongType, nullable = false)
    .add("rows", LongType)
    .add("buckets", IntegerType)
    .add("least_bytes", LongType)
    .add("median_bytes", LongType)
    .add("largest_bytes", LongType)
    .add("skew", DoubleType)
    .add("bytes", LongType, nullable = false)
    .add("log_bytes", LongType, nullable = false)
    .add("growth_per_day", LongType)
    .add("days_seen", DoubleType)
    .add("future_bytes", LongType)
    .add("advised_buckets", IntegerType)
    .add("bytes_to_read", LongType)
    .add("bytes_to_write", LongType)
    .add("advice", StringType, nullable = false)
    .add("statement", StringType)

  private def row(
      layout: BucketAdvice.Layout,
      sizes: TableSizes,
      days: Int,
      advice: BucketAdvice,
      statement: Option[String]
  ): InternalRow = {
    val (index, buckets) = layout match {
      case Bucketed(count, _) => (Some("bucket"), Some(count))
      case Bloom(_) => (Some("bloom"), None)
      case Folder => (None, None)
    }
    def cost(bytes: Long) = advice.change match {
      case _: Buckets | NoBuckets => Some(bytes)
      case Keep | Adopt => advice.buckets.map(count => if (buckets.contains(count)) 0L else bytes)
    }
    MetadataRows.row(
      index,
      sizes.files.size.toLong,
      sizes.sorted.size.toLong,
      sizes.rows,
      buckets,
      sizes.sorted.headOption,
      sizes.median,
      sizes.sorted.lastOption,
      buckets.flatMap(sizes.skew).map(rounded),
      sizes.bytes,
      sizes.logBytes,
      sizes.growth.map(_.perDay),
      sizes.growth.map(of => rounded(of.days)),
      sizes.bytesAfter(days),
      advice.buckets,
      cost(sizes.bytes + sizes.logBytes),
      cost(sizes.bytes),
      advice.reason,
      statement
    )
  }

  private def rounded(value: Double): Double = math.round(value * 10) / 10.0
}
