package hudilite.spark.catalog

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns
import org.apache.spark.sql.connector.catalog.{TableCatalog, TableInfo}
import org.apache.spark.sql.connector.expressions.{Literal, NamedReference, Transform}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{MetadataBuilder, StructField, StructType}

import hudilite.format.TableConfig
import hudilite.spark.AnalysisErrors

/** A CREATE TABLE statement whose clauses have been checked; nothing is on disk yet.
  *
  * @param schema         columns as declared, key columns NOT NULL
  * @param keyFields      key columns in key order
  * @param partitionFields partition columns in path order
  * @param numBuckets     buckets of each partition
  * @param hashFields     hashed key columns, in key order
  * @param location       what LOCATION says
  * @param isExternal     whether DROP leaves the files
  * @param properties     the user's own table properties
  * @param comment        what COMMENT says */
final case class TableDeclaration(
    table: TableIdentifier,
    schema: StructType,
    keyFields: Seq[String],
    partitionFields: Seq[String],
    numBuckets: Int,
    hashFields: Seq[String],
    location: Option[String],
    isExternal: Boolean,
    properties: Map[String, String],
    comment: Option[String]
) {

  /** @param uuid a fresh uuid of the table */
  def config(uuid: String): TableConfig = {
    val facts = TableConfig.forCreate(
      table.table,
      table.database,
      keyFields,
      partitionFields,
      None,
      SchemaText.toAvro(schema, table.table),
      numBuckets,
      hashFields,
      uuid
    )
    facts.copy(properties = facts.properties + (HudiliteTable.schemaProperty -> schema.json))
  }
}

object TableDeclaration {

  /** @param info what Spark's catalog interface hands over for CREATE TABLE
    * Errors: HUDILITE_KEY_NOT_DECLARED, HUDILITE_KEY_COLUMN_INVALID, HUDILITE_PROPERTY_CONFLICT,
    * HUDILITE_PROPERTY_UNSUPPORTED, HUDILITE_BUCKET_COLUMN_INVALID, HUDILITE_UNSUPPORTED_CLAUSE,
    * HUDILITE_UNSUPPORTED_TYPE, HUDILITE_INVALID_NAME. */
  def of(table: TableIdentifier, info: TableInfo): TableDeclaration = {
    val properties = info.properties.asScala.toMap
    val user = PropertyRules.userProperties(properties)
    val schema = StructType(info.schema.map(withoutBackfill))
    ColumnRules.check(schema)
    val key = KeyDeclaration.of(table, schema, user, info.constraints.toSeq)
    val partitionFields = partitions(table, schema, info.partitions.toSeq)
    val (numBuckets, hashFields) =
      buckets(table, schema, key, partitionFields, info.partitions.toSeq)
    TableDeclaration(
      table,
      StructType(schema.map(f => if (key.contains(f.name)) f.copy(nullable = false) else f)),
      key,
      partitionFields,
      numBuckets,
      hashFields,
      properties.get(TableCatalog.PROP_LOCATION),
      properties.contains(TableCatalog.PROP_EXTERNAL) ||
        properties.contains(TableCatalog.PROP_LOCATION) &&
        !properties.get(TableCatalog.PROP_IS_MANAGED_LOCATION).exists(_.equalsIgnoreCase("true")),
      user,
      properties.get(TableCatalog.PROP_COMMENT)
    )
  }

  /** A value for rows older than the column: a new table has none, and Spark 4.1 spells it wrong for
    * CHAR and VARCHAR. */
  private def withoutBackfill(field: StructField): StructField = field.copy(metadata =
    new MetadataBuilder()
      .withMetadata(field.metadata)
      .remove(ResolveDefaultColumns.EXISTS_DEFAULT_COLUMN_METADATA_KEY)
      .build()
  )

  /** Checks that the columns of PARTITIONED BY and WITH BUCKETS exist, before Spark looks for them
    * with a fault of its own that has no name.
    * Errors: HUDILITE_BUCKET_COLUMN_INVALID, HUDILITE_UNSUPPORTED_CLAUSE. */
  def checkReferences(table: String, schema: StructType, transforms: Seq[Transform]): Unit =
    for {
      transform <- transforms
      reference <- transform.references.map(_.fieldNames.toSeq)
      if column(schema, reference.take(1)).isEmpty
    } throw {
      if (isBucket(transform)) invalidBucketColumn(reference.mkString("."), absent)
      else unsupportedPartition(table, transform, "Name a column of the table.")
    }

  private val absent = "the table has no such column"

  /** @return the column's name as declared */
  private[catalog] def column(schema: StructType, reference: Seq[String]): Option[String] =
    reference match {
      case Seq(name) => schema.fieldNames.find(SQLConf.get.resolver(_, name))
      case _ => None
    }

  private def partitions(
      table: TableIdentifier,
      schema: StructType,
      transforms: Seq[Transform]
  ): Seq[String] = transforms.filterNot(isBucket).map { transform =>
    val reference = transform.references.headOption.map(_.fieldNames.toSeq).getOrElse(Nil)
    val name = column(schema, reference).filter(_ => transform.name == "identity").getOrElse {
      throw unsupportedPartition(table.unquotedString, transform,
        "Partition by a top-level column.")
    }
    ColumnRules.whyNoKeyType(schema(name).dataType).foreach { reason =>
      throw unsupportedPartition(table.unquotedString, transform, s"As for $name, $reason.")
    }
    name
  }

  private def buckets(
      table: TableIdentifier,
      schema: StructType,
      key: Seq[String],
      partitionFields: Seq[String],
      transforms: Seq[Transform]
  ): (Int, Seq[String]) = {
    val arguments = transforms.find(isBucket).toSeq.flatMap(_.arguments)
    val numBuckets = arguments.collectFirst { case n: Literal[_] => n.value }.collect {
      case n: Int => n
    }
    val asked = arguments.collect { case reference: NamedReference =>
      hashColumn(schema, key, partitionFields, reference.fieldNames.toSeq)
    }
    asked.diff(asked.distinct).headOption.foreach { twice =>
      throw invalidBucketColumn(twice, "it is named twice")
    }
    numBuckets.map((_, if (asked.isEmpty) key else key.filter(asked.contains))).getOrElse {
      throw AnalysisErrors.of(
        "HUDILITE_UNSUPPORTED_CLAUSE",
        "clause" -> "CREATE TABLE without WITH BUCKETS",
        "table" -> table.unquotedString,
        "fix" -> "Add WITH BUCKETS n."
      )
    }
  }

  private def hashColumn(
      schema: StructType,
      key: Seq[String],
      partitionFields: Seq[String],
      reference: Seq[String]
  ): String = {
    val name = column(schema, reference).getOrElse {
      throw invalidBucketColumn(reference.mkString("."), absent)
    }
    if (partitionFields.contains(name))
      throw invalidBucketColumn(name, "it is a partition column, equal for a whole partition")
    if (!key.contains(name))
      throw invalidBucketColumn(name, s"it is not among the key columns ${key.mkString(", ")}")
    name
  }

  private def unsupportedPartition(table: String, transform: Transform, fix: String) =
    AnalysisErrors.of(
      "HUDILITE_UNSUPPORTED_CLAUSE",
      "clause" -> s"PARTITIONED BY (${transform.describe})",
      "table" -> table,
      "fix" -> fix
    )

  private def invalidBucketColumn(column: String, reason: String) =
    AnalysisErrors.of("HUDILITE_BUCKET_COLUMN_INVALID", "column" -> column, "reason" -> reason)

  private def isBucket(transform: Transform): Boolean = transform.name == "bucket"
}
