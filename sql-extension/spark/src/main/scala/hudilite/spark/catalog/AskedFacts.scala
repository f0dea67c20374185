package hudilite.spark.catalog

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.connector.catalog.TableInfo
import org.apache.spark.sql.connector.expressions.{Literal, NamedReference, Transform}
import org.apache.spark.sql.types.StructType

import hudilite.format.{DateFolderFacts, IndexKind, TableConfig, TableVersion}
import hudilite.spark.error.AnalysisErrors

/** Table facts that a CREATE TABLE declares; None for a fact that it does not declare. Column names
  * are spelled as in the schema.
  *
  * @param key             key columns in key order
  * @param partitionFields partition columns in path order
  * @param numBuckets      buckets of each partition; 256, as in Hudi, when a property chooses the
  *                        bucket index or hashed columns and no count is given
  * @param hashFields      columns to hash, in the order of the statement
  * @param orderingFields  columns whose greatest values win among rows with one key
  * @param isBloom         whether the statement chooses the bloom index
  * @param isGlobal        whether a key is unique over all partitions
  * @param version         version of Hudi's table format
  * @param tableType       short name of the table type
  * @param tuned           facts that ALTER TABLE may change later, see [[TunableFacts]]
  * @param checks          CHECK constraints, see [[CheckConstraints]]
  * @param dates           properties of the rule by which folders are dates, see
  *                        [[hudilite.format.DateFolderFacts]]
  * @param repeated        facts that follow from others, see [[PropertyRules.repeated]] */
private[catalog] final case class AskedFacts(
    key: Option[Seq[String]],
    partitionFields: Option[Seq[String]],
    numBuckets: Option[Int],
    hashFields: Option[Seq[String]],
    orderingFields: Option[Seq[String]],
    isBloom: Boolean,
    isGlobal: Option[Boolean],
    version: Option[TableVersion],
    tableType: Option[String],
    tuned: Map[String, String],
    checks: Seq[(String, String)],
    dates: Map[String, String],
    repeated: Map[String, String]
) {

  /** Checks facts that follow from others.
    * @param config facts of the declared or adopted table
    * Errors: HUDILITE_PROPERTY_CONFLICT with both values. */
  def checkRepeated(config: TableConfig): Unit =
    repeated.foreach { case (fact, value) => TableFacts.checkRepeated(config, fact, fact, value) }

  /** Whether a fact is declared that a table of stock Hudi does not contain until it is adopted. */
  def isStored: Boolean =
    numBuckets.nonEmpty || hashFields.nonEmpty || isBloom || isGlobal.nonEmpty ||
      tuned.nonEmpty || checks.nonEmpty || dates.nonEmpty
}

private[catalog] object AskedFacts {
  private val defaultBuckets = 256
  private val blooms = Map("BLOOM" -> false, "GLOBAL_BLOOM" -> true)

  /** @param schema columns in which names are looked up
    * Errors: HUDILITE_KEY_COLUMN_INVALID, HUDILITE_PROPERTY_CONFLICT,
    * HUDILITE_BUCKET_COLUMN_INVALID, HUDILITE_BUCKET_COUNT_INVALID, HUDILITE_UNSUPPORTED_CLAUSE. */
  def of(table: TableIdentifier, schema: StructType, info: TableInfo): AskedFacts = {
    val facts = PropertyRules.facts(info.properties.asScala.toMap)
    val (buckets, others) = info.partitions.toSeq.partition(isBucket)
    val stated = facts.get(PropertyRules.partitions).map(PropertyRules.names)
    val index = facts.get(PropertyRules.index).map(_.toUpperCase(Locale.ROOT))
    val isBloom = index.exists(blooms.contains)
    val asked = AskedFacts(
      KeyDeclaration.of(table, schema, facts, info.constraints.toSeq),
      partitions(table, schema, others, stated),
      countOf(facts, buckets, isBloom),
      hashed(schema, facts, buckets),
      facts.get(PropertyRules.ordering).filter(_.nonEmpty).map(ordering(table, schema, _)),
      isBloom,
      globalOf(facts.get(PropertyRules.global), index),
      facts.get(PropertyRules.version).flatMap(TableVersion.of),
      facts.get(PropertyRules.tableType).flatMap(PropertyRules.typeOf),
      TunableFacts.of(facts),
      CheckConstraints.declared(table.unquotedString, info.constraints.toSeq),
      facts.filter { case (fact, _) => DateFolderFacts.names.contains(fact) },
      facts.filter { case (fact, _) => PropertyRules.repeated.contains(fact) }
    )
    for { n <- asked.numBuckets; bloom <- index if isBloom }
      throw PropertyRules.conflict(PropertyRules.index, s"BUCKET ($n)", bloom)
    asked
  }

  /** Whether keys are unique over all partitions. Besides the property, the name of a bloom index
    * states it: BLOOM or GLOBAL_BLOOM.
    * Errors: HUDILITE_PROPERTY_CONFLICT when property and index differ. */
  private def globalOf(stated: Option[String], index: Option[String]): Option[Boolean] = {
    val ofStated = stated.map(_.equalsIgnoreCase("true"))
    val ofIndex = index.flatMap(blooms.get)
    for { a <- ofStated; b <- ofIndex if a != b }
      throw PropertyRules.conflict(PropertyRules.global, s"$b, by ${index.mkString}", a.toString)
    ofStated.orElse(ofIndex)
  }

  private def countOf(
      facts: Map[String, String],
      transforms: Seq[Transform],
      isBloom: Boolean
  ): Option[Int] = {
    val clause = transforms.flatMap(_.arguments).collectFirst { case n: Literal[_] => n.value }
      .collect { case n: Int => n }
    val property = facts.get(PropertyRules.buckets).map { text =>
      text.toIntOption.filter(n => n >= 1 && n <= IndexKind.maxBuckets).getOrElse {
        throw AnalysisErrors.of("HUDILITE_BUCKET_COUNT_INVALID", "value" -> text)
      }
    }
    for { n <- clause; other <- property if n != other }
      throw PropertyRules.conflict(PropertyRules.buckets, n.toString, other.toString)
    val namesBuckets =
      facts.contains(PropertyRules.index) || facts.contains(PropertyRules.hashField)
    clause.orElse(property).orElse(Option.when(namesBuckets && !isBloom)(defaultBuckets))
  }

  private def hashed(
      schema: StructType,
      facts: Map[String, String],
      transforms: Seq[Transform]
  ): Option[Seq[String]] = {
    val clause = transforms.flatMap(_.arguments).collect { case r: NamedReference =>
      r.fieldNames.toSeq
    }
    val property = facts.get(PropertyRules.hashField).toSeq.flatMap(PropertyRules.names)
    val columns = clause.map(hashColumn(schema, _))
    val others = property.map(name => hashColumn(schema, Seq(name)))
    Seq(columns, others).foreach { names =>
      names.diff(names.distinct).headOption.foreach { twice =>
        throw TableDeclaration.invalidBucketColumn(twice, "it occurs twice")
      }
    }
    if (columns.nonEmpty && others.nonEmpty && columns.toSet != others.toSet)
      throw PropertyRules.conflict(
        PropertyRules.hashField,
        columns.mkString(","),
        others.mkString(",")
      )
    Some(if (columns.isEmpty) others else columns).filter(_.nonEmpty)
  }

  private def hashColumn(schema: StructType, reference: Seq[String]): String =
    TableDeclaration.column(schema, reference).getOrElse {
      throw TableDeclaration.invalidBucketColumn(
        reference.mkString("."),
        TableDeclaration.absent
      )
    }

  private def partitions(
      table: TableIdentifier,
      schema: StructType,
      transforms: Seq[Transform],
      stated: Option[Seq[String]]
  ): Option[Seq[String]] = {
    val clause = transforms.map { transform =>
      val reference = transform.references.headOption.map(_.fieldNames.toSeq).getOrElse(Nil)
      val column = TableDeclaration.column(schema, reference)
      column.filter(_ => transform.name == "identity").getOrElse {
        throw TableDeclaration.unsupportedPartition(
          table.unquotedString,
          transform.describe,
          PartitionTransforms.fix(transform, column)
        )
      }
    }
    stated.foreach { names =>
      if (names.map(n => TableDeclaration.column(schema, Seq(n)).getOrElse(n)) != clause)
        throw PropertyRules.conflict(
          PropertyRules.partitions,
          clause.mkString(","),
          names.mkString(",")
        )
    }
    Some(clause).filter(_.nonEmpty)
  }

  /** Returns the ordering fields of a comma-separated list, as the schema spells them.
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE. */
  private[catalog] def ordering(
      table: TableIdentifier,
      schema: StructType,
      list: String
  ): Seq[String] = {
    def refused(fix: String) = AnalysisErrors.of(
      "HUDILITE_UNSUPPORTED_CLAUSE",
      "clause" -> s"${PropertyRules.ordering} = '$list'",
      "table" -> table.unquotedString,
      "fix" -> fix
    )
    val columns = PropertyRules.names(list).map { name =>
      val column = TableDeclaration.column(schema, Seq(name))
        .getOrElse(throw refused(s"The table has no column $name. Write columns of the table."))
      ColumnRules.whyNoOrdering(schema(column).dataType).foreach(reason => throw refused(reason))
      column
    }
    columns.diff(columns.distinct).headOption.foreach { twice =>
      throw refused(s"$twice occurs twice. Write it once.")
    }
    columns
  }

  private[catalog] def isBucket(transform: Transform): Boolean = transform.name == "bucket"
}
