package hudilite.spark.catalog

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.classic.SparkSession

import hudilite.format.{ChangedTable, FileId, IndexKind, PartitionPath, TableConfig}
import hudilite.index.BucketIndex
import hudilite.spark.error.AnalysisErrors
import hudilite.view.{FileSlice, RecordIndex}

/** Adopts an existing Hudi table at the LOCATION of a CREATE TABLE: determines the table facts that
  * its hoodie.properties does not contain from its file names and a sample of its rows. Runs on the
  * driver. Stock Hudi does not store the bucket count, the hashed columns, or whether its complex
  * key generator wrote the key of one column as `v` or as `f:v`.
  * Source: hudi-format §2.8, §5.3, §6. */
private[catalog] final class Adoption(spark: SparkSession, table: HudiliteTable) {
  private val config = table.config
  private val fields = config.recordKeyFields

  /** @param asked facts that the statement declares, among them index and buckets
    * @return the table's facts, completed by those learned from files and rows. A table that is only
    *         read needs none of these, and its properties stay as they are
    * Errors: HUDILITE_BUCKET_COUNT_UNKNOWN, HUDILITE_BUCKET_COUNT_MISMATCH,
    * HUDILITE_PROPERTY_CONFLICT, HUDILITE_UNSUPPORTED_TABLE; HUDILITE_UNSUPPORTED_CLAUSE if the
    * statement declares a fact that would have to be stored in a table that is only read. */
  def learned(asked: AskedFacts): TableConfig = {
    if (asked.dates.nonEmpty) table.checkWritable()
    if (config.isIndexDeclared) config
    else if (!table.isWritable || table.snapshot.bucketRules.nonEmpty) {
      if (asked.isStored) throw onlyRead()
      config
    } else {
      val slices = table.snapshot.allSlices
      val rows =
        StoredKeys.sample(spark, config, table.schema, table.snapshot, slices, asked.numBuckets)
      val isComplex = encoding(rows)
      if (!arePlain(rows, asked) || !haveValues(slices, asked)) config
      else
        index(asked, slices, rows)
          .map(ChangedTable.adopted(config, _, isComplex))
          .map(facts => if (isGlobal(asked)) facts.withGlobalIndex else facts)
          .getOrElse(config)
    }
  }

  /** Whether the partitions have the paths that hudilite writes. A table with slash-separated dates, or
    * with other dates than its properties say, is only read.
    * Errors: HUDILITE_UNSUPPORTED_TABLE if they have others, and if the statement declares an index or
    * the rule of the dates of a table that is only read. */
  private def arePlain(rows: Seq[StoredKey], asked: AskedFacts): Boolean = {
    val others = rows.filter(row => row.stored != row.path)
    val isOnlyRead = !asked.isStored && others.forall(r =>
      config.dateFields.nonEmpty || PartitionPath.hasSlashes(r.stored, r.path)
    )
    others.headOption.filterNot(_ => isOnlyRead).foreach { row =>
      throw unsupported("partition path", row.stored, s"its columns result in ${row.path}")
    }
    others.isEmpty
  }

  /** Whether the partition paths contain the values of partition columns that the files lack: one level
    * for each. A table with other paths is only read.
    * Errors: HUDILITE_UNSUPPORTED_TABLE if the statement declares an index of such a table. */
  private def haveValues(slices: Seq[FileSlice], asked: AskedFacts): Boolean = {
    val others =
      if (!config.dropsPartitionColumns) Nil
      else slices.map(_.partition).filter(PartitionPath.decode(_, config).isEmpty)
    others.headOption.filter(_ => asked.isStored).foreach { path =>
      throw unsupported("partition path", path, "it has one level for each partition column")
    }
    others.isEmpty
  }

  private def isGlobal(asked: AskedFacts): Boolean =
    asked.isGlobal.contains(true) || RecordIndex.isGlobal(table.timeline, config)

  /** Whether stored record keys have the form `f:v`.
    * Errors: HUDILITE_UNSUPPORTED_TABLE when neither form fits all sampled rows. */
  private def encoding(rows: Seq[StoredKey]): Boolean = {
    val areComplex = rows.forall(row => row.key == row.joined)
    val arePlain = fields.size == 1 && rows.forall(row => row.plain.contains(row.key))
    if (!areComplex && !arePlain && fields.nonEmpty)
      rows.find(row => row.key != row.joined && !row.plain.contains(row.key)).orElse(
        rows.headOption
      )
        .foreach { row =>
          throw unsupported(
            "record key",
            row.key,
            s"its columns result in ${row.plain.getOrElse(row.joined)}"
          )
        }
    if (rows.isEmpty || fields.isEmpty) config.complexKey else areComplex && !arePlain
  }

  /** @return None for an empty table when the statement declares no index either, and for a table
    *         whose partitions have different numbers of buckets, which is only read */
  private def index(
      asked: AskedFacts,
      slices: Seq[FileSlice],
      rows: Seq[StoredKey]
  ): Option[IndexKind] = {
    val prefixes = slices.map(slice => FileId.bucketOf(slice.fileId))
    val haveBuckets = prefixes.forall(_.exists(_ < IndexKind.maxBuckets))
    asked.numBuckets match {
      case Some(n) if fields.isEmpty || !haveBuckets && slices.nonEmpty =>
        throw PropertyRules.conflict(PropertyRules.index, "BLOOM", s"BUCKET ($n)")
      case Some(n) => Some(checked(n, asked.hashFields, prefixes, rows))
      case None if slices.isEmpty => Option.when(asked.isBloom)(IndexKind.Bloom)
      case None if !haveBuckets || fields.isEmpty => Some(IndexKind.Bloom)
      case None =>
        val fit = fitting(prefixes.flatten.max, rows)
        if (fit.nonEmpty || rows.isEmpty)
          throw AnalysisErrors.of(
            "HUDILITE_BUCKET_COUNT_UNKNOWN",
            "path" -> table.basePath.toString,
            "highest" -> prefixes.flatten.max.toString,
            "fit" -> fit.getOrElse(noCount)
          )
        None
    }
  }

  private def checked(
      n: Int,
      hashFields: Option[Seq[String]],
      prefixes: Seq[Option[Int]],
      rows: Seq[StoredKey]
  ): IndexKind = {
    val hashed = hashFields.fold(fields)(names => fields.filter(names.contains))
    prefixes.flatten.find(_ >= n).foreach { bucket =>
      throw mismatch(n, hashed, s"a file of bucket $bucket", prefixes, rows)
    }
    rows.find(row => !isRight(row, hashed, n)).foreach { row =>
      val where = s"the key ${row.key} in bucket ${row.bucket.getOrElse("")}"
      throw mismatch(n, hashed, where, prefixes, rows)
    }
    IndexKind.Bucket(n, hashed)
  }

  private def isRight(row: StoredKey, hashed: Seq[String], n: Int): Boolean =
    row.bucket.contains(BucketIndex.bucketOfKey(row.key, hashed, n))

  private val noCount = "no number of buckets"

  /** Returns the WITH BUCKETS clause with the smallest count that fits all sampled rows; None when
    * none fits or no row was sampled. */
  private def fitting(highest: Int, rows: Seq[StoredKey]): Option[String] = {
    val choices = (fields +: fields.map(Seq(_))).distinct.flatMap { hashed =>
      (highest + 1 to IndexKind.maxBuckets)
        .find(n => rows.forall(isRight(_, hashed, n)))
        .map(n => s"WITH BUCKETS $n ON (${hashed.mkString(", ")})")
    }
    choices.headOption.filter(_ => rows.nonEmpty)
  }

  private def mismatch(
      n: Int,
      hashed: Seq[String],
      found: String,
      prefixes: Seq[Option[Int]],
      rows: Seq[StoredKey]
  ): AnalysisException = AnalysisErrors.of(
    "HUDILITE_BUCKET_COUNT_MISMATCH",
    "path" -> table.basePath.toString,
    "asked" -> s"WITH BUCKETS $n ON (${hashed.mkString(", ")})",
    "found" -> found,
    "fit" -> fitting(prefixes.flatten.max, rows).getOrElse(noCount)
  )

  private def onlyRead(): AnalysisException = AnalysisErrors.of(
    "HUDILITE_UNSUPPORTED_CLAUSE",
    "clause" -> "A declaration of the index or of settings",
    "table" -> table.name,
    "fix" -> ("hudilite reads this table and does not write it, so it stores nothing in it. Leave " +
      "WITH BUCKETS and TBLPROPERTIES out.")
  )

  private def unsupported(fact: String, value: String, reason: String): AnalysisException =
    AnalysisErrors.of(
      "HUDILITE_UNSUPPORTED_TABLE",
      "path" -> table.basePath.toString,
      "fact" -> fact,
      "value" -> value,
      "fix" -> (s"By hudilite's rules $reason. Export the rows with stock Hudi, and insert them " +
        "into a table that was created with USING hudilite.")
    )
}
