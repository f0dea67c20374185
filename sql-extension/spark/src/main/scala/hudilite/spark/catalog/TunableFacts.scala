package hudilite.spark.catalog

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange.{RemoveProperty, SetProperty}

import hudilite.error.Settings
import hudilite.format.TableConfig
import hudilite.spark.plan.FileSizes

/** What a table says of the sizes of its files, as its hoodie.properties hold it under Hudi's names:
  * stock Hudi's writers take it from there too. A table with buckets says nothing: its files are as
  * large as their number makes them. */
private[catalog] object SizeFacts {

  val names: Seq[String] = Seq(FileSizes.SmallLimit, FileSizes.MaxSize)

  /** Those of a table. */
  def of(config: TableConfig): Map[String, String] = of(config.properties)

  /** Those among some facts. */
  def of(facts: Map[String, String]): Map[String, String] =
    facts.filter { case (fact, _) => names.contains(fact) }

  /** What to write instead of a value that makes no sense. */
  def whyNot(fact: String, value: String): Option[String] =
    Option.when(FileSizes.bytes(fact, value).isEmpty)(
      s"'$value' is no size; write ${Settings.values(fact)}"
    )

  /** Holds what CREATE TABLE says against the table that it makes or adopts.
    * @param asked these facts alone
    * Errors: HUDILITE_PROPERTY_UNSUPPORTED where the table has buckets, HUDILITE_PROPERTY_CONFLICT
    * where it says otherwise. */
  def check(asked: Map[String, String], config: TableConfig): Unit =
    asked.foreach { case (fact, value) =>
      if (config.hasBuckets) throw ofBuckets(fact)
      config.properties.get(fact)
        .filter(own => FileSizes.bytes(fact, own) != FileSizes.bytes(fact, value))
        .foreach(own => throw PropertyRules.conflict(fact, own, value))
    }

  /** The facts after SET or UNSET of one.
    * Errors: HUDILITE_PROPERTY_UNSUPPORTED where the table has buckets. */
  def changed(config: TableConfig, change: TableChange): TableConfig = {
    def fact(property: String) = PropertyRules.factOf(property).filter(names.contains)
    change match {
      case set: SetProperty => fact(set.property).fold(config) { name =>
          if (config.hasBuckets) throw ofBuckets(name)
          TableConfig(config.properties + (name -> set.value.trim))
        }
      case remove: RemoveProperty =>
        fact(remove.property).fold(config)(name => TableConfig(config.properties - name))
      case _ => config
    }
  }

  private def ofBuckets(fact: String): AnalysisException = PropertyRules.unsupported(
    fact,
    "A bucket of a partition is one file, as large as the number of buckets makes it; " +
      "leave it out and choose WITH BUCKETS n."
  )
}
