package hudilite.spark

import org.apache.spark.sql.internal.SQLConf

import hudilite.format.{IndexKind, TableConfig}

/** Session settings that a write looks at. The facts of a table come from the table alone; a
  * setting under one of Hudi's names may repeat a fact but not contradict it. */
object HudiliteConf {

  /** @param config facts of the table to be written
    * @param conf   settings of the session
    * Errors: HUDILITE_PROPERTY_CONFLICT with both values. */
  def checkAgainst(config: TableConfig, conf: SQLConf): Unit =
    facts(config).foreach { case (key, declared) =>
      Option(conf.getConfString(key, "")).filter(_.nonEmpty).foreach(checkFact(key, declared, _))
    }

  /** Errors: HUDILITE_PROPERTY_CONFLICT unless the two say the same. */
  def checkFact(key: String, declared: String, asked: String): Unit =
    if (!same(declared, asked))
      throw AnalysisErrors.of(
        "HUDILITE_PROPERTY_CONFLICT",
        "key" -> key,
        "declared" -> declared,
        "asked" -> asked
      )

  /** A table's facts under the names that Hudi's users know. */
  def facts(config: TableConfig): Map[String, String] = Map(
    "primaryKey" -> config.recordKeyFields.mkString(","),
    "hoodie.datasource.write.recordkey.field" -> config.recordKeyFields.mkString(","),
    "hoodie.table.recordkey.fields" -> config.recordKeyFields.mkString(","),
    "hoodie.datasource.write.partitionpath.field" -> config.partitionFields.mkString(","),
    "hoodie.table.partition.fields" -> config.partitionFields.mkString(",")
  ) ++ Seq(
    "preCombineField",
    "hoodie.datasource.write.precombine.field",
    "hoodie.table.precombine.field",
    "hoodie.table.ordering.fields"
  ).map(_ -> config.orderingField.getOrElse("none")) ++ (config.index match {
    case IndexKind.Bucket(numBuckets, hashFields) =>
      Map(
        "hoodie.index.type" -> "BUCKET",
        "hoodie.bucket.index.num.buckets" -> numBuckets.toString,
        "hoodie.bucket.index.hash.field" -> hashFields.mkString(",")
      )
    case IndexKind.Bloom => Map("hoodie.index.type" -> "BLOOM")
  })

  private def same(declared: String, asked: String): Boolean =
    declared.split(',').map(_.trim).sameElements(asked.split(',').map(_.trim)) ||
      declared == "BUCKET" && asked.equalsIgnoreCase(declared)
}
