package hudilite.spark.catalog

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.spark.error.AnalysisErrors
import hudilite.spark.read.{HudiliteScanBuilder, IncrementalTable, PeerOptions}
import hudilite.timeline.Instant
import hudilite.view.Increment

/** Incremental read, requested by Hudi's option `hoodie.datasource.query.type` together with a
  * begin and an end instant, or by Iceberg's options `start-snapshot-id` and `end-snapshot-id` alone.
  * @param begin instant after which commits count
  * @param end   instant up to which commits count, itself included; None: the latest settled one
  * Source: seed 002 §5.2; hudi-format §7.4. */
final case class IncrementalQuery(begin: String, end: Option[String]) {

  /** Returns the rows that the commits between these instants wrote and the last of them still has.
    * Errors: those of [[Increment.of]]; HUDILITE_SESSION_NOT_READY. */
  def of(session: SparkSession, table: HudiliteTable): IncrementalTable = {
    SessionParts.demandExtension(session)
    if (table.part.nonEmpty)
      throw IncrementalQuery.unsupported(
        IncrementalQuery.queryType,
        s"Load ${table.basePath} and filter its rows."
      )
    val increment = Increment.of(table.timeline, table.config, begin, end)
    increment.heldBack.foreach(HeldBack.warn(session, table.name, "A read of the changes of", _))
    new IncrementalTable(session, table.name, table.schemaAt(increment.snapshot), increment)
  }
}

object IncrementalQuery {
  private val queryType = HudiliteScanBuilder.queryType
  private val format = PeerOptions.incrementalFormat
  private val begins =
    Seq("hoodie.datasource.read.begin.instanttime", "hoodie.datasource.read.start.timestamp")
  private val ends =
    Seq("hoodie.datasource.read.end.instanttime", "hoodie.datasource.read.end.timestamp")

  /** @return None for a read of a whole snapshot
    * Errors: HUDILITE_PROPERTY_UNSUPPORTED for another query type, and for an incremental query
    * without a begin, with a time travel option, or with an option that would have no effect. */
  def of(options: CaseInsensitiveStringMap): Option[IncrementalQuery] =
    Option(options.get(queryType)).map(_.trim.toLowerCase(java.util.Locale.ROOT)) match {
      case None => ofSnapshots(options)
      case Some(kind) if HudiliteScanBuilder.ofRows(kind) => None
      case Some("incremental") =>
        checkOthers(options)
        val (begin, end) = (one(options, begins), one(options, ends))
        checkFormat(options, begin, end)
        val after = begin.getOrElse(
          throw unsupported(queryType,
            s"Set the instant after which it begins: .option('${begins.head}', '...').")
        )
        Some(IncrementalQuery(after, end))
      case Some(_) => throw unsupported(queryType, "Write snapshot or incremental.")
    }

  /** Returns the read that Iceberg's options request, if any. */
  private def ofSnapshots(options: CaseInsensitiveStringMap): Option[IncrementalQuery] = {
    def instant(name: String) = Option(options.get(name)).map(_.trim).map { text =>
      if (Instant.isTime(text)) text
      else
        throw unsupported(name,
          s"A snapshot is an instant of 14 or 17 digits. ${PeerOptions.listed(tableOf(options))}")
    }
    val (begin, end) = (instant(PeerOptions.Range.begin), instant(PeerOptions.Range.end))
    for (_ <- end if begin.isEmpty)
      throw unsupported(PeerOptions.Range.end, s"Set ${PeerOptions.Range.begin}, too.")
    if (begin.nonEmpty)
      HudiliteScanBuilder.travels.find(options.containsKey).foreach { name =>
        throw unsupported(name, s"Remove it, or remove ${PeerOptions.Range.begin}.")
      }
    begin.map(IncrementalQuery(_, end))
  }

  /** Errors: HUDILITE_PROPERTY_UNSUPPORTED for changes with their kinds. */
  private def checkFormat(
      options: CaseInsensitiveStringMap,
      begin: Option[String],
      end: Option[String]
  ): Unit = Option(options.get(format)).map(_.trim).foreach { text =>
    if (text.equalsIgnoreCase("cdc"))
      throw unsupported(s"$format = cdc", PeerOptions.ofChanges(begin, end, tableOf(options)))
    if (!text.equalsIgnoreCase("latest_state"))
      throw unsupported(format, s"Write latest_state instead of '$text'.")
  }

  private def tableOf(options: CaseInsensitiveStringMap): String =
    TablePath.nameOf(Option(options.get("path")).mkString)

  private def one(options: CaseInsensitiveStringMap, names: Seq[String]): Option[String] =
    names.flatMap(name => Option(options.get(name)).map(name -> _.trim)).headOption.map {
      case (_, text) if text.nonEmpty && text.length <= longest && text.forall(_.isDigit) => text
      case (name, _) => throw unsupported(name, "Write an instant of 14 or 17 digits.")
    }

  private def checkOthers(options: CaseInsensitiveStringMap): Unit = {
    val known = (begins ++ ends :+ queryType :+ format).toSet
    options.asCaseSensitiveMap.asScala.keys.map(
      _.toLowerCase(java.util.Locale.ROOT)
    ).toSeq.sorted.foreach { name =>
      if (HudiliteScanBuilder.travels.exists(_.equalsIgnoreCase(name)))
        throw unsupported(name,
          s"$queryType = incremental uses ${begins.head} and ${ends.head} instead.")
      if (name.startsWith("hoodie.datasource.") && !known(name))
        throw unsupported(name, "Remove it, and filter the rows.")
    }
  }

  private val longest = 17

  private def unsupported(name: String, fix: String) =
    AnalysisErrors.of("HUDILITE_PROPERTY_UNSUPPORTED", "key" -> name, "fix" -> fix)
}
