package hudilite.spark.catalog

import org.apache.spark.sql.internal.SQLConf

import hudilite.spark.plan.{FileSizes, FooterFilters}

/** Statement that copies a table into a new one with another index. */
object CopyStatement {
  import ShowCreateTableCommand.{bucketsClause, facts, list, literal}

  private val ofBloom = Seq(FileSizes.SmallLimit, FileSizes.MaxSize)

  /** Returns a CREATE TABLE AS SELECT in one line.
    * @param name    name of the table, as a statement has it
    * @param copy    name of the new table
    * @param buckets number of its buckets; None: it has a bloom index */
  def of(table: HudiliteTable, name: String, copy: String, buckets: Option[Int]): String = {
    val config = table.config
    val partitions = Option.when(config.partitionFields.nonEmpty)(
      s"PARTITIONED BY ${list(config.partitionFields)}"
    )
    val unfit = if (buckets.isEmpty) Seq(FooterFilters.name) else ofBloom
    val kept = SQLConf.get.redactOptions(facts(table) -- unfit).toSeq.sorted
    val properties = (PropertyRules.key -> config.recordKeyFields.mkString(",")) +: kept
    (Seq(s"CREATE TABLE $copy USING ${SessionTables.provider}") ++
      buckets.map(bucketsClause(table, _)) ++ partitions :+
      properties.map { case (k, v) => s"${literal(k)} = ${literal(v)}" }
        .mkString("TBLPROPERTIES (", ", ", ")") :+
      s"AS SELECT * FROM $name").mkString(" ")
  }
}
