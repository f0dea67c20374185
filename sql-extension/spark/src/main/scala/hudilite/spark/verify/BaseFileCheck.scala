package hudilite.spark.verify

import org.apache.hadoop.conf.Configuration
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.functions.{col, count, lit, max, min}
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.util.SerializableConfiguration

import hudilite.format.{TableConfig, TableVersion}
import hudilite.spark.catalog.HudiliteTable
import hudilite.verify.{Finding, LogCheck, TableCheck}
import hudilite.view.SourceFile

/** Check of a table's base and log files, with one task per file slice. Runs on the driver; tasks read the files
  * and never write.
  * @param table result of the check of timeline and listings */
final class BaseFileCheck(session: SparkSession, table: TableCheck.Loaded) {

  private lazy val conf: Broadcast[SerializableConfiguration] =
    session.sparkContext.broadcast(
      new SerializableConfiguration(session.sessionState.newHadoopConf())
    )

  /** Returns the findings about the files.
    * @param rows whether every row is read, or only footers */
  def findings(rows: Boolean): Seq[Finding] =
    if (table.slices.isEmpty) Seq.empty
    else Unchecked.findings(table.config, rows) ++ (if (rows) ofRows else ofFooters)

  private def ofFooters: Seq[Finding] =
    BaseFileCheck.files(tasks(table.slices), logs, conf, None, table.config).collect().toSeq

  private lazy val logs = session.sparkContext.broadcast(
    LogSliceCheck(
      table.snapshot.view,
      table.known,
      table.config.version == TableVersion.Six,
      table.config.hasMetaFields
    )
  )

  private def ofRows: Seq[Finding] =
    Finding.attempt(Finding.warning("NOT_CHECKED", "", _))(facts) match {
      case Left(left) => left +: ofFooters
      case Right(known) =>
        val found = BaseFileCheck
          .files(tasks(table.slices), logs, conf, Some(known), table.config).collect().toSeq
        val broken = found.filter(f => BaseFileCheck.broken(f.code)).map(_.path).toSet
        found ++ duplicates(table.slices.filterNot(_.slice.places.exists(broken)), known)
    }

  private def tasks(files: Seq[TableCheck.CheckedSlice]): RDD[TableCheck.CheckedSlice] =
    session.sparkContext.parallelize(files, math.max(1, files.size))

  private def facts: RowCheckFacts = {
    val base = table.snapshot.basePath
    val opened = HudiliteTable.open(session, base.toString, base, Map.empty)
    RowCheckFacts.of(session, table.config, table.snapshot.view, opened.schema,
      logs = Some(table.snapshot))
  }

  /** Returns findings about duplicate keys. Shuffles the record keys of all files. */
  private def duplicates(
      files: Seq[TableCheck.CheckedSlice],
      facts: RowCheckFacts
  ): Seq[Finding] = {
    val rows = BaseFileCheck.keys(tasks(files), facts)
    val keys = session.createDataFrame(rows, BaseFileCheck.keySchema)
    val twice = keys
      .groupBy("scope", "key")
      .agg(count(lit(1)).as("n"), min("file").as("first"), max("file").as("last"))
      .where(col("n") > 1)
    val found = twice.groupBy("first", "last").agg(count(lit(1)).as("n"), min("key").as("key"))
    found.collect().toSeq.map { row =>
      val (first, last) = (row.getString(0), row.getString(1))
      val other = if (first == last) "more than once in the file" else s"also in $last"
      val detail = s"${row.getLong(2)} keys occur $other"
      Finding.error("DUPLICATE_KEY", first, detail, Some(row.getString(3)))
    }
  }
}

object BaseFileCheck {

  /** Codes of findings for files whose rows cannot be read. */
  private val broken = Set(FileFooter.unreadable, StoredRows.unreadable, LogCheck.damaged)

  private val keySchema = new StructType()
    .add("scope", StringType)
    .add("key", StringType)
    .add("file", StringType)

  /** Checks each slice in a task. It is in the object so that tasks do not serialize the class. */
  private def files(
      targets: RDD[TableCheck.CheckedSlice],
      logs: Broadcast[LogSliceCheck],
      conf: Broadcast[SerializableConfiguration],
      rows: Option[RowCheckFacts],
      config: TableConfig
  ): RDD[Finding] = targets.flatMap { file =>
    file.base.toSeq.flatMap(ofBase(_, conf.value.value, rows, config)) ++
      logs.value.findings(file, conf.value.value, rows)
  }

  private def ofBase(
      file: TableCheck.CheckedSlice,
      conf: Configuration,
      rows: Option[RowCheckFacts],
      config: TableConfig
  ): Seq[Finding] = {
    val footer = FileFooter.read(file, conf)
    footer.fold(
      Seq(_),
      known =>
        known.findings(file, config) ++ rows.toSeq.flatMap(StoredRows.findings(_, file, known))
    ) ++ source(file, conf)
  }

  /** Checks the bootstrap source file of a skeleton. */
  private def source(file: TableCheck.CheckedSlice, conf: Configuration): Option[Finding] = {
    def changed(reason: String) = {
      val path = file.slice.onlyBase.data.path
      Finding.error("SOURCE_CHANGED", file.place, s"its source $path: $reason")
    }
    Finding.attempt(changed)(SourceFile.check(file.slice, conf)).left.toOption
  }

  private def keys(targets: RDD[TableCheck.CheckedSlice], facts: RowCheckFacts): RDD[Row] =
    targets.flatMap { file =>
      val scope = if (facts.isGlobal) "" else file.slice.partition
      StoredRows.keys(facts, file).map(key => Row(scope, key, file.place))
    }
}
