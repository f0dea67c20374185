package hudilite.spark.catalog

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange.{RemoveProperty, SetProperty}
import org.apache.spark.sql.types.StructType

import hudilite.error.Settings
import hudilite.format.TableConfig
import hudilite.spark.plan.{
  AutomaticArchive,
  AutomaticClean,
  AutomaticSync,
  BloomColumns,
  FileSizes,
  FooterFilters,
  MetadataUpkeep
}

/** Table facts that ALTER TABLE may change, stored in hoodie.properties under Hudi's names: file
  * sizes, automatic clean and archival after writes, automatic registration in the Hive metastore,
  * writes of stock Hudi at the same time, what a write does to Hudi's metadata table, and bloom
  * filters of keys and of columns. A table with buckets has no file sizes, as the number of buckets
  * determines how large files are; one without buckets always has bloom filters of keys. */
private[catalog] object TunableFacts {

  private val sizes = Seq(FileSizes.SmallLimit, FileSizes.MaxSize)

  val names: Seq[String] =
    sizes ++ AutomaticClean.names ++ AutomaticArchive.names ++ AutomaticSync.names ++
      StockLockFact.names :+ MetadataUpkeep.name :+ FooterFilters.name :+ BloomColumns.name

  /** Whether a session setting of the same name overrides the fact. */
  def isForSessions(fact: String): Boolean = sizes.contains(fact)

  /** Tunable facts of a table. */
  def of(config: TableConfig): Map[String, String] = of(config.properties)

  /** Tunable facts among `facts`. */
  def of(facts: Map[String, String]): Map[String, String] =
    facts.filter { case (fact, _) => names.contains(fact) }

  /** Returns what to write instead of an invalid value; None for a valid one. */
  def whyNot(fact: String, value: String): Option[String] =
    if (sizes.contains(fact))
      Option.when(FileSizes.bytes(fact, value).isEmpty)(
        s"'$value' is not a size. Write ${Settings.values(fact)}."
      )
    else if (StockLockFact.names.contains(fact)) StockLockFact.whyNot(value)
    else if (fact == MetadataUpkeep.name) MetadataUpkeep.whyNot(value)
    else if (fact == FooterFilters.name) FooterFilters.whyNot(value)
    else if (fact == BloomColumns.name) BloomColumns.whyNot(value)
    else if (AutomaticSync.names.contains(fact)) AutomaticSync.whyNot(fact, value)
    else if (AutomaticArchive.names.contains(fact)) AutomaticArchive.whyNot(fact, value)
    else AutomaticClean.whyNot(fact, value)

  /** Checks the tunable facts of a CREATE TABLE against the table that it creates or adopts.
    * @param asked  tunable facts only
    * @param schema columns of the table
    * Errors: HUDILITE_PROPERTY_UNSUPPORTED for a fact that the table cannot have, and those of
    * [[checkTogether]]; HUDILITE_PROPERTY_CONFLICT when the table has another value. */
  def check(asked: Map[String, String], config: TableConfig, schema: StructType): Unit = {
    checkTogether(asked)
    asked.foreach { case (fact, value) =>
      checkFits(fact, value, config, schema)
      config.properties.get(fact)
        .filterNot(isSame(fact, _, value))
        .foreach(own => throw PropertyRules.conflict(fact, own, value))
    }
  }

  /** Returns a fact for which the table does not have the value that a statement asks for. */
  def other(asked: Map[String, String], config: TableConfig): Option[(String, String)] =
    asked.find { case (fact, value) => !config.properties.get(fact).exists(isSame(fact, _, value)) }

  /** Checks that facts fit each other, each of which is valid.
    * Errors: HUDILITE_PROPERTY_UNSUPPORTED. */
  def checkTogether(facts: Map[String, String]): Unit =
    AutomaticArchive.mismatch(facts).foreach {
      case (fact, fix) => throw PropertyRules.unsupported(fact, fix)
    }

  /** Returns the facts after SET or UNSET of one table property.
    * @param schema columns of the table
    * Errors: HUDILITE_PROPERTY_UNSUPPORTED for a fact that the table cannot have. */
  def changed(schema: StructType)(config: TableConfig, change: TableChange): TableConfig = {
    def fact(property: String) = PropertyRules.factOf(property).filter(names.contains)
    change match {
      case set: SetProperty => fact(set.property).fold(config) { name =>
          checkFits(name, set.value, config, schema)
          TableConfig(config.properties + (name -> set.value.trim))
        }
      case remove: RemoveProperty =>
        fact(remove.property).fold(config)(name => TableConfig(config.properties - name))
      case _ => config
    }
  }

  private def isSame(fact: String, one: String, other: String): Boolean =
    if (sizes.contains(fact)) FileSizes.bytes(fact, one) == FileSizes.bytes(fact, other)
    else PropertyRules.isSame(one, other)

  /** Fails for a file size of a table with buckets, a kept metadata table of version 6, a table
    * with a bloom index and no bloom filters, and bloom filters of columns that cannot have them. */
  private def checkFits(
      fact: String,
      value: String,
      config: TableConfig,
      schema: StructType
  ): Unit = {
    if (sizes.contains(fact) && config.hasBuckets) throw ofBuckets(fact)
    val mismatch = fact match {
      case MetadataUpkeep.name => MetadataUpkeep.mismatch(value, config)
      case FooterFilters.name => FooterFilters.mismatch(value, config)
      case BloomColumns.name => BloomColumns.mismatch(value, schema)
      case _ => None
    }
    mismatch.foreach(fix => throw PropertyRules.unsupported(fact, fix))
  }

  private def ofBuckets(fact: String): AnalysisException = PropertyRules.unsupported(
    fact,
    "A bucket of a partition is one file, so the number of buckets determines the file size. " +
      "Remove it, and choose n in WITH BUCKETS n."
  )
}
