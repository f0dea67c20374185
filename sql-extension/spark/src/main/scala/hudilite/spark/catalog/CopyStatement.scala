package hudilite.spark.catalog

import org.apache.spark.sql.internal.SQLConf

import hudilite.spark.plan.{AutomaticSync, FileSizes, FooterFilters}

/** Statement that copies a table into a new one with another index. */
object CopyStatement {
  import ShowCreateTableCommand.{bucketsClause, facts, list, literal}

  private val ofBloom = Seq(FileSizes.SmallLimit, FileSizes.MaxSize)

  /** Returns a CREATE TABLE AS SELECT in one line. It has no facts of the automatic sync, as two
    * tables cannot have the same entry in a metastore.
    * @param name     name of the table, as a statement has it
    * @param copy     name of the new table
    * @param buckets  number of its buckets; None: it has a bloom index
    * @param wholeKey whether it hashes all key columns, even if the table does not */
  def of(
      table: HudiliteTable,
      name: String,
      copy: String,
      buckets: Option[Int],
      wholeKey: Boolean
  ): String = {
    val config = table.config
    val partitions = Option.when(config.partitionFields.nonEmpty)(
      s"PARTITIONED BY ${list(config.partitionFields)}"
    )
    val unfit = if (buckets.isEmpty) Seq(FooterFilters.name) else ofBloom
    val kept = SQLConf.get.redactOptions(facts(table) -- unfit -- AutomaticSync.names).toSeq.sorted
    val properties = (PropertyRules.key -> config.recordKeyFields.mkString(",")) +: kept
    val clause = buckets.map { count =>
      if (wholeKey) s"WITH BUCKETS $count" else bucketsClause(table, count)
    }
    (Seq(s"CREATE TABLE $copy USING ${SessionTables.provider}") ++
      clause ++ partitions :+
      properties.map { case (k, v) => s"${literal(k)} = ${literal(v)}" }
        .mkString("TBLPROPERTIES (", ", ", ")") :+
      s"AS SELECT * FROM $name").mkString(" ")
  }
}
