package hudilite.spark.verify

import hudilite.format.TableConfig
import hudilite.verify.Finding

/** What a check of a table's files cannot compare, because the files do not contain it or the rules
  * of the table's writer are not known. */
private[verify] object Unchecked {

  /** Returns the findings that say so. In a table without key columns the text of a record key follows
    * from no column, so nothing of it is left out.
    * @param rows whether every row is checked, or only footers */
  def findings(config: TableConfig, rows: Boolean): Seq[Finding] =
    if (!config.hasMetaFields)
      Seq(notChecked("the files have no meta columns, so keys, commits and places of rows"))
    else if (!rows) Seq.empty
    else
      Option.unless(config.isKeyless || hasKeyRules(config))(
        notChecked("the text of record keys")
      ).toSeq ++
        Option.unless(hasPathRules(config))(notChecked("the partition columns of rows"))

  /** Whether the record key of a row is computed from its key columns, by known rules. */
  def hasKeyRules(config: TableConfig): Boolean =
    config.recordKeyFields.nonEmpty && config.isGeneratorKnown

  /** Whether the partition path of a row is computed from its columns, by known rules. */
  def hasPathRules(config: TableConfig): Boolean =
    !config.dropsPartitionColumns && config.partitionFields.forall(config.hasFolderRule)

  private def notChecked(what: String): Finding =
    Finding.warning("NOT_CHECKED", "", s"$what cannot be checked in this table")
}
