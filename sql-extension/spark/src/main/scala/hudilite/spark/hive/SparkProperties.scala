package hudilite.spark.hive

/** Table parameters by which Spark recognizes a metastore entry as a table of Hudi's data source.
  * Spark then reads it with Hudi's jar, and fails without that jar. It would read a plain Hive
  * table's Parquet files itself, including the files of earlier commits.
  * Source: Hudi's SparkDataSourceTableUtils; Spark's HiveExternalCatalog. */
private[hive] object SparkProperties {
  private val prefix = "spark.sql.sources"

  /** Maximum length of a property value in a metastore, in characters. */
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
