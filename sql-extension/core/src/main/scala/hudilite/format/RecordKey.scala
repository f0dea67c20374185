package hudilite.format

/** Text of `_hoodie_record_key`. In a table with plain keys it is the bare text of the one key
  * column. Otherwise the key columns are joined as `f:v,f2:v2` without any escaping, as Hudi's
  * ComplexKeyGenerator does.
  * Source: hudi-format §5. */
object RecordKey {
  val NullPlaceholder = "__null__"
  val EmptyPlaceholder = "__empty__"

  /** Returns the key text of columns joined as `f:v,f2:v2`.
    * @param fields key columns in key order
    * @param values their texts; null and "" become placeholders */
  def complex(fields: Seq[String], values: Seq[String]): String =
    fields.zip(values).map { case (field, value) => s"$field:${placed(value)}" }.mkString(",")

  private def placed(value: String): String =
    Option(value).fold(NullPlaceholder)(v => if (v.isEmpty) EmptyPlaceholder else v)
}
