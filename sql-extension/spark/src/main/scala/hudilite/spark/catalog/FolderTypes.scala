package hudilite.spark.catalog

import org.apache.spark.sql.types.{StructType, TimestampType}

import hudilite.format.{DateFolderFacts, TableConfig}
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.plan.DateFolderOf

/** Check of the types of partition columns whose folders are dates: a table is only read if stock Hudi
  * has no date for the values of one. */
private[catalog] object FolderTypes {

  /** Returns the fact that forbids writes to a table, as its key, its value and what to do. */
  def obstacle(config: TableConfig, schema: StructType): Option[(String, String, String)] = (for {
    field <- schema.iterator if config.dateFields.contains(field.name)
    rule <- config.dateFolder(field.name)
    reason <- DateFolderOf.whyNot(rule, field.dataType)
  } yield {
    val ofTimestamp =
      if (field.dataType == TimestampType) DateFolderFacts.stating(DateFolderFacts.consistent)
      else "Write it with stock Hudi."
    (
      s"type of partition column ${field.name}",
      field.dataType.sql,
      s"Under its key generator $reason. $ofTimestamp"
    )
  }).nextOption()

  /** Errors: HUDILITE_TABLE_READ_ONLY. */
  def check(config: TableConfig, schema: StructType, basePath: String): Unit =
    obstacle(config, schema).foreach { case (fact, value, fix) =>
      throw AnalysisErrors.of(
        "HUDILITE_TABLE_READ_ONLY",
        "path" -> basePath,
        "fact" -> fact,
        "value" -> value,
        "fix" -> fix
      )
    }
}
