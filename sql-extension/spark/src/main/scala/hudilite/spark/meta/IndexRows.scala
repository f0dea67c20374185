package hudilite.spark.meta

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.{DoubleType, LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.SerializableConfiguration

import hudilite.index.KeyFooter
import hudilite.view.{FileSlice, OpenedFile}

/** Rows that show the key range and the bloom filter of each latest base file. Tasks read the
  * footers. */
object IndexRows {

  /** Index facts of a file group, from the footer of its base file.
    * @param filter type code, number of bits, fraction of bits that are set, estimated false
    *               positive rate */
  private final case class IndexFacts(
      partition: String,
      fileId: String,
      rows: Long,
      min: Option[UTF8String],
      max: Option[UTF8String],
      filter: Option[(String, Long, Double, Double)]
  ) {
    def overlaps(other: IndexFacts): Boolean = {
      def isAfter(low: Option[UTF8String], high: Option[UTF8String]) =
        low.zip(high).exists { case (l, h) => l.compareTo(h) > 0 }
      !isAfter(min, other.max) && !isAfter(other.min, max)
    }
  }

  val schema: StructType = new StructType()
    .add("partition", StringType, nullable = false)
    .add("file_id", StringType, nullable = false)
    .add("rows", LongType, nullable = false)
    .add("min_key", StringType)
    .add("max_key", StringType)
    .add("filter_type", StringType)
    .add("filter_bits", LongType)
    .add("filter_fill", DoubleType)
    .add("false_positive_rate", DoubleType)
    .add("overlap", DoubleType, nullable = false)

  /** Returns one row for each slice, ordered by partition and least key.
    * Errors: HUDILITE_MISSING_DATA_FILE, HUDILITE_CORRUPT_DATA_FILE. */
  def of(session: SparkSession, slices: Seq[FileSlice]): Seq[InternalRow] =
    read(session, slices).groupBy(_.partition).toSeq.sortBy(_._1).flatMap {
      case (_, files) => files.sortBy(_.fileId).sortBy(_.min).map(row(_, files))
    }

  private def read(session: SparkSession, slices: Seq[FileSlice]): Seq[IndexFacts] =
    if (slices.isEmpty) Seq.empty
    else {
      val context = session.sparkContext
      val conf = new SerializableConfiguration(session.sessionState.newHadoopConf())
      val shared = context.broadcast(conf)
      val tasks = math.min(slices.size, context.defaultParallelism * tasksPerCore)
      context.parallelize(slices, tasks).map(facts(_, shared.value.value)).collect().toSeq
    }

  private val tasksPerCore = 4

  private def facts(slice: FileSlice, conf: Configuration): IndexFacts = {
    val footer = OpenedFile(slice, conf) { opened =>
      KeyFooter.of(opened.reader.getFooter, slice.path.toString)
    }
    IndexFacts(
      slice.partition,
      slice.fileId,
      footer.rows,
      footer.range.map(_.min),
      footer.range.map(_.max),
      footer.filter.map(f => (f.typeCode, f.bits, f.fill, f.falsePositiveRate))
    )
  }

  /** Builds a result row.
    * @param all all file groups of the partition; an unknown key range overlaps with every other */
  private def row(of: IndexFacts, all: Seq[IndexFacts]): InternalRow = {
    val others = all.filter(_ ne of)
    val overlap = if (others.isEmpty) 0.0 else others.count(of.overlaps).toDouble / others.size
    val filter = of.filter.fold(Seq[Any](null, null, null, null)) { case (code, bits, fill, rate) =>
      Seq(text(code), bits, fill, rate)
    }
    val facts = Seq[Any](text(of.partition), text(of.fileId), of.rows, of.min.orNull, of.max.orNull)
    InternalRow.fromSeq((facts ++ filter) :+ overlap)
  }

  private def text(value: String): UTF8String = UTF8String.fromString(value)
}
