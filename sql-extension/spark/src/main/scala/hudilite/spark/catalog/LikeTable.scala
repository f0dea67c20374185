package hudilite.spark.catalog

import org.apache.spark.sql.connector.catalog.constraints.Constraint
import org.apache.spark.sql.connector.expressions.Transform

import hudilite.format.{DateFolderFacts, IndexKind, TableConfig}
import hudilite.spark.plan.{AutomaticSync, MetadataUpkeep}

/** Declaration of a new table with the facts of another one: CREATE TABLE LIKE. */
private[spark] object LikeTable {

  /** Facts that do not pass to another table: what other systems and writers do with the table. */
  private val ofOneTable =
    AutomaticSync.names ++ StockLockFact.names :+ MetadataUpkeep.name

  /** Returns the table properties: facts of the other table, and those that the statement states.
    * Tunable facts and the version may differ from the other table.
    * Errors: HUDILITE_PROPERTY_CONFLICT for another value of a fact. */
  def properties(source: HudiliteTable, stated: Map[String, String]): Map[String, String] = {
    val facts = PropertyRules.facts(stated)
    facts.filterNot { case (fact, _) => mayDiffer(fact) }.foreach { case (fact, value) =>
      TableFacts.checkRepeated(source.config, fact, fact, value)
    }
    val code = source.config.version.code
    val version =
      Option.when(VersionOfNewTables.whyNot(code).isEmpty)(PropertyRules.version -> code)
    val byDefault = Option.when(hashesKey(source))(PropertyRules.hashField)
    val own = TableFacts.properties(source.config) --
      Seq(TableConfig.Key.version, TableConfig.Key.metadataPartitions) -- ofOneTable --
      DateFolderFacts.names -- byDefault ++
      version
    own -- facts.keys ++ stated
  }

  /** Returns the CHECK constraints. */
  def checks(source: HudiliteTable): Seq[Constraint] = CheckConstraints.shown(source.config)

  /** Returns the partition columns as a CREATE TABLE declares them. */
  def partitions(source: HudiliteTable): Seq[Transform] =
    source.partitioning.toSeq.filterNot(AskedFacts.isBucket)

  /** Whether the whole key is hashed: a statement does not name columns of the partition. */
  private def hashesKey(source: HudiliteTable): Boolean = source.config.index match {
    case IndexKind.Bucket(_, hashed) => hashed == source.config.recordKeyFields
    case IndexKind.Bloom => false
  }

  private def mayDiffer(fact: String): Boolean =
    TunableFacts.names.contains(fact) || fact == PropertyRules.version
}
