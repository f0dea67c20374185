package hudilite.spark.analyze

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  AttributeSet,
  Cast,
  Expression
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.SQLConf.StoreAssignmentPolicy
import org.apache.spark.sql.types.BooleanType

import hudilite.format.MetaFields
import hudilite.io.Storage
import hudilite.spark.catalog.{HudiliteTable, TableFacts, WriteOptions}
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.plan.{
  BloomSettings,
  FileSizes,
  KeyText,
  NestedField,
  RecordKeyOf,
  WriteSettings
}

/** Target table of a statement that writes.
  *
  * @param relation relation over the table's own columns only, without Hudi's meta columns
  * @param named    relation with its aliases and with the meta columns that the statement uses, or all
  *                 of them if the key does not consist of columns */
private[analyze] final case class HudiliteTarget(
    relation: DataSourceV2Relation,
    table: HudiliteTable,
    named: LogicalPlan
) {
  val columns: Seq[AttributeReference] = relation.output

  /** Key columns in key order. If the key does not consist of columns, the meta column with the record
    * key takes their place, under the names of the fields that the key consists of. */
  lazy val keyColumns: Seq[Attribute] =
    if (hasKeyColumns) table.config.recordKeyFields.map(column)
    else
      named.output.filter(_.name == MetaFields.RecordKey).map { key =>
        if (makesKeys) key else key.withName(table.config.recordKeyFields.mkString(", "))
      }

  /** Whether each new row gets a record key of its own: the table has no key columns. */
  def makesKeys: Boolean = table.config.isKeyless

  /** Names of the values that a key consists of, see [[keyOf]]. */
  def keyNames: Seq[String] =
    if (makesKeys) Seq(MetaFields.RecordKey) else table.config.recordKeyFields

  /** Whether the key consists of columns of the table. */
  def hasKeyColumns: Boolean = table.config.hasKeyColumns

  /** Returns the key columns that are fields of a struct in a column. */
  def keyFieldsIn(column: Attribute): Seq[String] =
    table.config.recordKeyFields.filter(field =>
      field != column.name && NestedField.column(field) == column.name
    )

  /** Returns the values that the key of a new row consists of, in key order. In a table without key
    * columns, it is a made key.
    * @param value value of a column of the row */
  def keyOf(value: Attribute => Expression): Seq[Expression] =
    if (makesKeys) Seq(KeyText.made)
    else
      table.config.recordKeyFields.map { field =>
        NestedField.of(field)(name => columns.find(_.name == name).map(value))
          .getOrElse(column(field))
      }

  /** Returns the record key of a new row as it is stored, in a table whose keys are not made. */
  def recordKeyOf(value: Attribute => Expression): Expression =
    RecordKeyOf(
      keyOf(value).map(KeyText.expression),
      table.config.recordKeyFields,
      table.config.complexKey
    )

  /** All columns, meta columns included. */
  val all: AttributeSet = named.outputSet ++ AttributeSet(named.metadataOutput)

  lazy val partitionColumns: Seq[Attribute] = table.config.partitionFields.map(column)

  val hasBuckets: Boolean = table.config.hasBuckets

  /** Whether a key to insert may exist in any partition and must be looked up in all of them. */
  val seeksEverywhere: Boolean = table.config.seeksEverywhere

  /** Returns the table's plan for use in the source. If the statement adds columns, the relation
    * has neither catalog nor identifier: Spark would look the table up by these and expect the new
    * columns in it already. */
  def inSource(read: LogicalPlan): LogicalPlan = read.transform {
    case own: DataSourceV2Relation if table.added.nonEmpty =>
      own.copy(catalog = None, identifier = None)
  }

  def isColumn(attribute: Attribute): Boolean = columns.exists(_.exprId == attribute.exprId)

  def isKey(attribute: Attribute): Boolean = keyColumns.exists(_.exprId == attribute.exprId)

  /** Expression of a row's folder name at one level of the partition path.
    * @param level from 0 */
  def folder(level: Int): Expression = KeyText.partitionPath(
    table.config,
    Seq(table.config.partitionFields(level)),
    Seq(partitionColumns(level))
  )

  /** Checks that the statement may write the table in this session.
    * @param options write options of the statement
    * Errors: HUDILITE_TABLE_READ_ONLY; HUDILITE_UNSUPPORTED_TABLE for a table that declares no index or on which a service of
    * stock Hudi is under way, HUDILITE_PROPERTY_CONFLICT for a session setting or option that
    * contradicts a table fact, HUDILITE_PROPERTY_UNSUPPORTED for an option that would have no
    * effect, HUDILITE_SETTING_INVALID, HUDILITE_UNSUPPORTED_CLAUSE for an earlier state or a part
    * of a table. */
  def checkWritable(options: Map[String, String]): Unit = {
    table.checkWritable()
    table.snapshot.checkBucketRules()
    if (!hasBuckets && !table.config.isIndexDeclared)
      throw AnalysisErrors.of(
        "HUDILITE_UNSUPPORTED_TABLE",
        "path" -> table.basePath.toString,
        "fact" -> "index",
        "value" -> "",
        "fix" -> HudiliteTarget.adopt
      )
    table.snapshot.checkNothingPlanned()
    TableFacts.checkSession(table.config, SQLConf.get)
    WriteSettings.of(SQLConf.get): Unit
    FileSizes.of(SQLConf.get, table.config.properties, Nil): Unit
    BloomSettings.pruning(SQLConf.get): Unit
    BloomSettings.filterType(SQLConf.get): Unit
    if (table.asOf.nonEmpty)
      throw unsupported("A write to an earlier version", "Write to the table itself.")
    if (table.part.nonEmpty)
      throw unsupported("A write to a part of it", s"Write to ${table.basePath}.")
    WriteOptions.check(table.name, table.config, options ++ relation.options.asScala)
    if (relation.identifier.nonEmpty) WriteOptions.valueOf(options, "path").foreach(checkPath)
    if (SQLConf.get.storeAssignmentPolicy == StoreAssignmentPolicy.LEGACY)
      throw unsupportedProperty("spark.sql.storeAssignmentPolicy", "Set it to ANSI.")
  }

  /** The path of a writer that names the table must be that of the table. */
  private def checkPath(path: String): Unit = {
    val hadoop = SparkSession.active.sessionState.newHadoopConf()
    if (Storage.qualified(new Path(path), hadoop) != table.basePath)
      throw unsupported(s"Option path = '$path'", s"Remove it: the table is at ${table.basePath}.")
  }

  def unsupported(clause: String, fix: String): AnalysisException = AnalysisErrors.of(
    "HUDILITE_UNSUPPORTED_CLAUSE",
    "clause" -> clause,
    "table" -> table.name,
    "fix" -> fix
  )

  private def unsupportedProperty(key: String, fix: String): AnalysisException =
    AnalysisErrors.of("HUDILITE_PROPERTY_UNSUPPORTED", "key" -> key, "fix" -> fix)

  private def column(name: String): AttributeReference =
    columns.find(_.name == name).getOrElse {
      throw AnalysisErrors.of(
        "HUDILITE_CORRUPT_TIMELINE",
        "path" -> table.basePath.toString,
        "reason" ->
          s"the schema has no column $name, but ${table.timeline.properties.getName} uses it",
        "fix" -> "Restore the schema of the table."
      )
    }
}

private[analyze] object HudiliteTarget {
  private val adopt =
    "Its properties do not contain its index. Run once: CREATE TABLE name USING hudilite " +
      "[WITH BUCKETS n ON (columns)] LOCATION '...', with the bucket settings of its writers. A " +
      "table without files and without buckets also needs TBLPROPERTIES ('hoodie.index.type' = " +
      "'BLOOM')."

  /** Removes Spark's NOT NULL check from a key value: HUDILITE_NULL_KEY replaces it, which names
    * the column and is checked for every row. */
  def withoutNullCheck(value: Expression): Expression = value match {
    case AssertNotNull(child, _) => withoutNullCheck(child)
    case cast: Cast => cast.withNewChildren(Seq(withoutNullCheck(cast.child)))
    case other => other
  }

  /** Errors: DATATYPE_MISMATCH for a condition that is not boolean, as for any WHERE. */
  def checkBoolean(condition: Expression): Unit =
    if (condition.dataType != BooleanType)
      throw new AnalysisException(
        errorClass = "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN",
        messageParameters = Map(
          "sqlExpr" -> condition.sql,
          "filter" -> condition.sql,
          "type" -> s"\"${condition.dataType.sql}\""
        )
      )

  /** @return the target of a relation over a hudilite table, with or without aliases */
  def unapply(plan: LogicalPlan): Option[HudiliteTarget] = plan match {
    case alias @ SubqueryAlias(_, child) =>
      unapply(child).map { of =>
        of.copy(named = if (of.hasKeyColumns) plan else alias.copy(child = of.named))
      }
    case relation: DataSourceV2Relation =>
      Option(relation.table).collect { case table: HudiliteTable => of(relation, table) }
    case _ => None
  }

  /** @return the target of a relation over a table */
  def of(relation: DataSourceV2Relation, table: HudiliteTable): HudiliteTarget = {
    val own = relation.copy(output = relation.output.take(table.schema.length))
    val named = if (table.config.hasKeyColumns) relation else relation.withMetadataColumns()
    HudiliteTarget(own, table, named)
  }
}
