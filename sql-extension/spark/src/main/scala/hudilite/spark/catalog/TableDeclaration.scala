package hudilite.spark.catalog

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns
import org.apache.spark.sql.connector.catalog.{TableCatalog, TableInfo}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{MetadataBuilder, StructField, StructType}

import hudilite.format.{IndexKind, TableConfig, TableVersion}
import hudilite.spark.error.AnalysisErrors

/** Checked clauses of a CREATE TABLE statement. Creating a declaration writes nothing to disk.
  * @param schema         columns as declared, key columns NOT NULL
  * @param keyFields      key columns in key order; none if each new row gets a record key of its own
  * @param partitionFields partition columns in path order
  * @param index          index by which keys are found; hashed columns in key order
  * @param orderingFields columns whose greatest values win among rows with one key, none if the last
  *                       row wins
  * @param location       value of LOCATION
  * @param isExternal     whether DROP keeps the files
  * @param properties     the user's own table properties, without table facts
  * @param comment        value of COMMENT
  * @param isGlobal       whether keys are unique over all partitions
  * @param version        version of Hudi's table format
  * @param isMergeOnRead  whether writes may add log files
  * @param tuned          facts that ALTER TABLE may change later, see [[TunableFacts]]
  * @param checks         CHECK constraints, see [[CheckConstraints]] */
final case class TableDeclaration(
    table: TableIdentifier,
    schema: StructType,
    keyFields: Seq[String],
    partitionFields: Seq[String],
    index: IndexKind,
    orderingFields: Seq[String],
    location: Option[String],
    isExternal: Boolean,
    properties: Map[String, String],
    comment: Option[String],
    isGlobal: Boolean,
    version: TableVersion,
    isMergeOnRead: Boolean = false,
    tuned: Map[String, String] = Map.empty,
    checks: Seq[(String, String)] = Nil
) {

  /** Returns the facts for hoodie.properties.
    * @param uuid a fresh uuid of the table */
  def config(uuid: String): TableConfig = {
    val facts = TableConfig.forCreate(
      table.table,
      table.database,
      keyFields,
      partitionFields,
      orderingFields,
      SchemaText.toAvro(schema, table.table),
      index,
      uuid,
      version,
      isMergeOnRead
    )
    val stored = facts.copy(
      properties = facts.properties + (HudiliteTable.schemaProperty -> schema.json) ++ tuned
    )
    (if (isGlobal) stored.withGlobalIndex else stored).withChecks(checks)
  }
}

object TableDeclaration {

  /** Checks the clauses of a CREATE TABLE that creates a new table.
    * @param info what Spark passes to the catalog's createTable
    * Errors: HUDILITE_KEY_NOT_DECLARED for a clause that needs a key, HUDILITE_KEY_COLUMN_INVALID,
    * HUDILITE_PROPERTY_CONFLICT, HUDILITE_PROPERTY_UNSUPPORTED, HUDILITE_BUCKET_COLUMN_INVALID,
    * HUDILITE_UNSUPPORTED_CLAUSE, HUDILITE_UNSUPPORTED_TYPE, HUDILITE_INVALID_NAME. */
  def of(table: TableIdentifier, info: TableInfo): TableDeclaration = {
    val user = PropertyRules.userProperties(info.properties.asScala.toMap)
    val schema = columns(info)
    ColumnRules.check(schema)
    val asked = AskedFacts.of(table, schema, info)
    asked.checks.foreach { case (_, condition) =>
      CheckConstraints.checkNames(table.unquotedString, condition, schema)
    }
    val key = asked.key.getOrElse(Nil)
    if (key.isEmpty) checkNeedsNoKey(table, asked)
    asked.dates.keys.headOption.foreach { fact =>
      throw PropertyRules.unsupported(fact,
        "The folders of new tables have the texts of the values. " +
          "Remove it, or partition by a DATE column.")
    }
    val partitionFields = asked.partitionFields.getOrElse(Nil)
    partitionFields.foreach(checkPartition(table, schema, _))
    val declaration = TableDeclaration(
      table,
      StructType(schema.map(f => if (key.contains(f.name)) f.copy(nullable = false) else f)),
      key,
      partitionFields,
      index(key, partitionFields, asked),
      asked.orderingFields.getOrElse(Nil),
      None,
      isExternal = false,
      user,
      None,
      asked.isGlobal.contains(true),
      asked.version.getOrElse(VersionOfNewTables.of(SQLConf.get)),
      asked.tableType.contains("mor"),
      asked.tuned,
      asked.checks
    )
    GeneratedColumns.checkRoles(table.unquotedString, schema, key, declaration.orderingFields)
    TunableFacts.check(asked.tuned, declaration.config(""), schema)
    asked.checkRepeated(declaration.config(""))
    withPlace(declaration, info)
  }

  /** Declares a new table whose columns are given by existing data.
    * @param schema     columns of the data
    * @param key        key columns, as the user names them
    * @param partitions partition columns, as the user names them
    * @param buckets    buckets of each partition; None: the bloom index
    * @param isMergeOnRead whether writes may add log files
    * @param ordering   ordering fields as the user lists them, if there are any
    * Errors: HUDILITE_KEY_COLUMN_INVALID, HUDILITE_UNSUPPORTED_CLAUSE, HUDILITE_UNSUPPORTED_TYPE,
    * HUDILITE_INVALID_NAME. */
  def over(
      table: TableIdentifier,
      schema: StructType,
      key: Seq[String],
      partitions: Seq[String],
      buckets: Option[Int],
      location: Option[String],
      isMergeOnRead: Boolean,
      ordering: Option[String]
  ): TableDeclaration = {
    ColumnRules.checkOfFiles(schema)
    val keyFields = KeyDeclaration.columns(table, schema, key)
    val partitionFields = partitions.map { name =>
      column(schema, Seq(name)).getOrElse(
        throw unsupportedPartition(table.unquotedString, name, "Write columns of the source.")
      )
    }
    partitionFields.foreach(checkPartition(table, schema, _))
    TableDeclaration(
      table,
      StructType(schema.map(f => if (keyFields.contains(f.name)) f.copy(nullable = false) else f)),
      keyFields,
      partitionFields,
      buckets.fold[IndexKind](IndexKind.Bloom)(IndexKind.Bucket(_, keyFields)),
      ordering.fold(Seq.empty[String])(AskedFacts.ordering(table, schema, _)),
      location,
      isExternal = location.nonEmpty,
      Map.empty,
      None,
      isGlobal = false,
      version = VersionOfNewTables.of(SQLConf.get),
      isMergeOnRead
    )
  }

  /** Returns the declaration with location, external flag and comment of the statement. */
  private[catalog] def withPlace(
      declaration: TableDeclaration,
      info: TableInfo
  ): TableDeclaration = {
    val properties = info.properties.asScala
    val isManaged =
      properties.get(TableCatalog.PROP_IS_MANAGED_LOCATION).exists(_.equalsIgnoreCase("true"))
    declaration.copy(
      location = properties.get(TableCatalog.PROP_LOCATION),
      isExternal = properties.contains(TableCatalog.PROP_EXTERNAL) ||
        properties.contains(TableCatalog.PROP_LOCATION) && !isManaged,
      comment = properties.get(TableCatalog.PROP_COMMENT)
    )
  }

  /** Columns of the statement. */
  private[catalog] def columns(info: TableInfo): StructType =
    StructType(info.schema.zip(info.columns).map { case (field, column) =>
      GeneratedColumns.declared(withoutBackfill(field), column)
    })

  /** Removes Spark's EXISTS_DEFAULT, the value for rows older than the column. A new table has no
    * such rows, and Spark 4.1 writes that value incorrectly for CHAR and VARCHAR. */
  private def withoutBackfill(field: StructField): StructField = field.copy(metadata =
    new MetadataBuilder()
      .withMetadata(field.metadata)
      .remove(ResolveDefaultColumns.EXISTS_DEFAULT_COLUMN_METADATA_KEY)
      .build()
  )

  /** Checks that the columns of PARTITIONED BY and WITH BUCKETS exist, before Spark looks them up
    * and fails with an error that has no condition name.
    * Errors: HUDILITE_BUCKET_COLUMN_INVALID, HUDILITE_UNSUPPORTED_CLAUSE. */
  def checkReferences(table: String, schema: StructType, transforms: Seq[Transform]): Unit =
    for {
      transform <- transforms
      reference <- transform.references.map(_.fieldNames.toSeq)
      if column(schema, reference.take(1)).isEmpty
    } throw {
      if (AskedFacts.isBucket(transform)) invalidBucketColumn(reference.mkString("."), absent)
      else
        unsupportedPartition(
          table,
          transform.describe,
          if (schema.isEmpty) "Declare the columns, or remove the clause if the table exists."
          else "Write a column of the table."
        )
    }

  private[catalog] val absent = "the table does not have this column"

  /** Looks up a top-level column.
    * @return its name as spelled in the schema */
  private[catalog] def column(schema: StructType, reference: Seq[String]): Option[String] =
    reference match {
      case Seq(name) => schema.fieldNames.find(SQLConf.get.resolver(_, name))
      case _ => None
    }

  /** Errors: HUDILITE_KEY_NOT_DECLARED for buckets, which hash the key, and for keys that are unique
    * over all partitions. */
  private def checkNeedsNoKey(table: TableIdentifier, asked: AskedFacts): Unit =
    asked.numBuckets.map(n => s"WITH BUCKETS $n")
      .orElse(asked.isGlobal.filter(identity).map(_ => s"'${PropertyRules.global}' = 'true'"))
      .foreach { clause =>
        throw AnalysisErrors.of(
          "HUDILITE_KEY_NOT_DECLARED",
          "table" -> table.unquotedString,
          "clause" -> clause
        )
      }

  private def checkPartition(table: TableIdentifier, schema: StructType, name: String): Unit =
    ColumnRules.whyNoPartitionType(schema(name).dataType).foreach { reason =>
      throw unsupportedPartition(table.unquotedString, name,
        s"Column $name cannot be used: $reason.")
    }

  private def index(
      key: Seq[String],
      partitionFields: Seq[String],
      asked: AskedFacts
  ): IndexKind = {
    asked.hashFields.getOrElse(Nil).foreach { name =>
      if (partitionFields.contains(name))
        throw invalidBucketColumn(name,
          "it is a partition column: its value is constant in a partition")
      if (!key.contains(name))
        throw invalidBucketColumn(name, s"it is not one of the key columns ${key.mkString(", ")}")
    }
    asked.numBuckets.fold[IndexKind](IndexKind.Bloom)(
      IndexKind.Bucket(_, asked.hashFields.fold(key)(names => key.filter(names.contains)))
    )
  }

  private[catalog] def unsupportedPartition(
      table: String,
      partition: String,
      fix: String
  ): AnalysisException = AnalysisErrors.of(
    "HUDILITE_UNSUPPORTED_CLAUSE",
    "clause" -> s"PARTITIONED BY ($partition)",
    "table" -> table,
    "fix" -> fix
  )

  private[catalog] def invalidBucketColumn(column: String, reason: String): AnalysisException =
    AnalysisErrors.of("HUDILITE_BUCKET_COLUMN_INVALID", "column" -> column, "reason" -> reason)
}
