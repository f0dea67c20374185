package hudilite.spark.exec

import hudilite.format.MetaFields
import hudilite.spark.plan.BloomSettings

/** Texts of EXPLAIN about a write statement (driver side). Computed at first use, because some list
  * partitions of the table. */
final class WriteTexts(statement: WriteStatement) {
  import statement.{pruning, replaced, session, spansPartitions, spec, table, visitsFileGroups}

  /** Table, operation, and what makes the statement special. */
  lazy val description: String =
    (Seq(table.name, spec.operation) ++ spec.joined.map(why => s"(joined: $why)") ++
      replaced.map(_.text) ++ added ++ blind).mkString(" ")

  /** Text that says how source rows find their file groups. */
  lazy val index: String = statement.counts match {
    case Some(counts) =>
      val where = if (spansPartitions) s" in ${pruning.text}" else ""
      s"bucket(${table.config.hashFields.mkString(", ")}) of ${counts.text}$where"
    case None if table.config.isKeyless => s"bloom(${MetaFields.RecordKey})"
    case None => s"bloom(${table.config.recordKeyFields.mkString(", ")})"
  }

  /** Text for the file groups that are visited without a source row. */
  lazy val visits: String = if (visitsFileGroups) s", ${pruning.visits}" else ""

  /** Text that says how keys are looked up in a table without buckets. */
  lazy val lookup: String = s"$index by ${BloomSettings.text(session.sessionState.conf)}"

  /** Text that says how much of the table a blind write reads. */
  lazy val ofBlind: String =
    if ((spec.matched ++ spec.notMatched).forall(_.condition.isEmpty)) "the table is not read"
    else "the table is read only for rows whose outcome depends on it"

  private def blind: Option[String] = Option.when(statement.isBlind)(s"blind: $ofBlind")

  private def added: Option[String] =
    Option.when(table.added.nonEmpty)(s"adds ${table.addedPaths.mkString(", ")}")
}
