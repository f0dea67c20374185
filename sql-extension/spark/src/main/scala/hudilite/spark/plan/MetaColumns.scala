package hudilite.spark.plan

import org.apache.spark.sql.types.{StringType, StructField, StructType}

import hudilite.format.MetaFields

/** Hudi's meta columns in Spark's types. A base file has them before the columns of the table. */
object MetaColumns {

  /** All meta columns, in their order. */
  val schema: StructType = StructType(MetaFields.all.map(StructField(_, StringType)))

  /** Returns the meta columns, followed by other columns. */
  def before(columns: Seq[StructField]): StructType = StructType(schema ++ columns)
}
