package hudilite.spark.hive

/** By what Spark knows an entry as a table of Hudi's data source: it then reads it with Hudi's jar
  * and fails without, where it would read a plain Hive table's Parquet files by itself, those of
  * earlier commits among them.
  * Source: Hudi's SparkDataSourceTableUtils; Spark's HiveExternalCatalog. */
private[hive] object SparkProperties {
  private val prefix = "spark.sql.sources"

  /** Longest text of a property in a metastore. */
  private val mostLetters = 4000

  def of(columns: HiveColumns): Map[String, String] = {
    val parts = columns.all.json.grouped(mostLetters).toSeq
    val schema = parts.zipWithIndex.map { case (part, i) => s"$prefix.schema.part.$i" -> part }
    val keys = columns.all.takeRight(columns.keys.size).zipWithIndex.map { case (field, i) =>
      s"$prefix.schema.partCol.$i" -> field.name
    }
    Map(s"$prefix.provider" -> "hudi", s"$prefix.schema.numParts" -> parts.size.toString) ++
      schema ++ keys ++
      Option.when(keys.nonEmpty)(s"$prefix.schema.numPartCols" -> keys.size.toString)
  }
}
