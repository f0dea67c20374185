package hudilite.spark.bootstrap

import hudilite.spark.bootstrap.SourceInspection.Inspected

/** Forecast for one source file of a bootstrap. A value that is not known without writing is
  * None.
  * @param action        "adopt", "rewrite" or "refuse"
  * @param reason        why the file would be refused
  * @param nullKeys      number of null values in key columns
  * @param duplicateKeys rows whose key occurs more than once
  * @param bytesToWrite  length of the skeleton */
final case class FileForecast(
    path: String,
    action: String,
    reason: Option[String],
    rows: Option[Long],
    nullKeys: Option[Long],
    duplicateKeys: Option[Long],
    bytesToWrite: Option[Long]
)

object FileForecast {

  /** Returns the forecast for each file, in the order of the ordinals.
    * @param duplicates ordinal of a file to the number of its rows whose key occurs more than
    *                   once */
  def of(
      files: Seq[PlacedFile],
      inspected: Inspected,
      duplicates: Map[Int, Long]
  ): Seq[FileForecast] = inspected.reports.map { report =>
    of(files(report.ordinal), report, duplicates.getOrElse(report.ordinal, 0L))
  }

  private def of(file: PlacedFile, report: FileReport, duplicates: Long): FileForecast = {
    val reason = report.fault.map(_.text)
      .orElse(Option.when(duplicates > 0)("it has duplicate keys"))
    val action = if (reason.nonEmpty) "refuse" else if (file.isAdopted) "adopt" else "rewrite"
    val isRead = report.fault.forall(f => !f.isInstanceOf[FileFault.Unreadable])
    def known(n: Long) = Option.when(isRead)(n)
    FileForecast(
      file.path,
      action,
      reason,
      known(report.rows),
      known(report.nulls.sum),
      known(duplicates),
      report.skeleton.filter(_ => reason.isEmpty).map(_._2)
    )
  }
}
