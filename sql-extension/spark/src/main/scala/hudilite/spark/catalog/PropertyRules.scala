package hudilite.spark.catalog

import java.util.Locale

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.unsafe.types.UTF8String

import hudilite.error.Suggestion
import hudilite.format.{DateFolderFacts, KeyGenerator, MergeOrder, TableConfig}
import hudilite.spark.error.{AnalysisErrors, Warnings}
import hudilite.spark.read.PeerOptions

/** Rules for TBLPROPERTIES and OPTIONS: a table accepts table facts under Hudi's names, and the
  * user's own properties. A property that would have no effect fails with a named error instead of
  * being ignored; one of Delta or Iceberg is kept as the user's own, with a warning. A class that a property names is never loaded. Source: design D3, D4. */
object PropertyRules {
  val key = "primaryKey"
  val ordering = "preCombineField"
  val tableType = "type"
  val index = "hoodie.index.type"
  val buckets = "hoodie.bucket.index.num.buckets"
  val hashField = "hoodie.bucket.index.hash.field"
  val partitions = "hoodie.datasource.write.partitionpath.field"
  val global: String = TableConfig.Key.indexGlobal
  val version: String = VersionOfNewTables.name
  val tableName = "hoodie.table.name"
  val keyGenerator = "hoodie.datasource.write.keygenerator.class"
  val mergeMode = "hoodie.write.record.merge.mode"

  /** Facts that a declaration may repeat, but not choose: they follow from other clauses. */
  private[catalog] val repeated: Seq[String] = Seq(tableName, keyGenerator, mergeMode)

  /** Checks all properties and returns the user's own.
    * @param properties all that Spark passes, its reserved names included
    * @return the properties that are neither facts nor reserved names
    * Errors: HUDILITE_PROPERTY_UNSUPPORTED. */
  def userProperties(properties: Map[String, String]): Map[String, String] = {
    val options = properties.keySet.filter(_.startsWith(TableCatalog.OPTION_PREFIX))
      .map(_.stripPrefix(TableCatalog.OPTION_PREFIX))
    val user = properties.filterNot { case (name, _) =>
      TableFacts.reserved(name) || name.startsWith(TableCatalog.OPTION_PREFIX)
    }
    user.filter { case (name, value) =>
      val isFact = factOf(name).nonEmpty || fixed.contains(lower(name))
      whyNot(name, value).foreach(fix => throw unsupported(name, fix))
      if (!isFact && options(name))
        throw unsupported(name, PeerOptions.ofNewTable(name).getOrElse(nearest(name)))
      PeerOptions.projectOf(name).foreach(warn(name, _))
      !isFact
    }
  }

  private def warn(name: String, project: String): Unit =
    if (Warnings.isFirst(SparkSession.active, s"property ${lower(name)}"))
      Warnings.say(s"Property $name of $project has no effect on a table of hudilite. Remove it.")

  /** @return each fact that the properties state, under its canonical name
    * Errors: HUDILITE_PROPERTY_CONFLICT when two names of one fact have different values. */
  def facts(properties: Map[String, String]): Map[String, String] =
    properties.toSeq
      .filterNot(_._1.startsWith(TableCatalog.OPTION_PREFIX))
      .flatMap { case (name, value) => factOf(name).map(_ -> value.trim) }
      .groupMap(_._1)(_._2)
      .map { case (fact, values) =>
        values.tail.find(!isSame(values.head, _)).foreach { other =>
          throw conflict(fact, values.head, other)
        }
        fact -> values.head
      }

  /** Removes the options that state a fact which table properties state too: as in stock Hudi, a
    * table property prevails over an option.
    * @param options    of OPTIONS, by name
    * @param properties names of TBLPROPERTIES */
  def prevailing[A](options: Seq[(String, A)], properties: Iterable[String]): Seq[(String, A)] = {
    val stated = properties.flatMap(factOf).toSet
    options.filterNot { case (name, _) => factOf(name).exists(stated) }
  }

  /** @return canonical name of the fact that a property states; None if it states none */
  def factOf(name: String): Option[String] = synonyms.get(lower(name))

  /** Whether two values of a fact are equal as comma-separated lists of names, numbers or keywords,
    * ignoring case. */
  def isSame(one: String, other: String): Boolean =
    names(one).map(lower) == names(other).map(lower)

  /** Whether two values of a fact are equal as those of [[isSame]], or are words for one type of a
    * table.
    * @param own short name of the type, if the fact is that */
  private[catalog] def isSame(fact: String, own: String, asked: String): Boolean =
    isSame(own, asked) || fact == tableType && typeOf(asked).contains(own) ||
      fact == keyGenerator && KeyGenerator.spelled(asked.trim).exists(_.className == own)

  /** Splits a comma-separated value into names. dbt states several names as a list of Python:
    * `['id', 'day']`. */
  def names(value: String): Seq[String] = value.trim match {
    case pythonList(listed) => split(listed).map(name => quoted.replaceAllIn(name, "$2"))
    case other => split(other)
  }

  private val pythonList = """\[(.*)]""".r
  private val quoted = """^(['"])(.*)\1$""".r

  private def split(list: String): Seq[String] =
    list.split(',').toSeq.map(_.trim).filter(_.nonEmpty)

  private[catalog] def conflict(fact: String, declared: String, asked: String) = AnalysisErrors.of(
    "HUDILITE_PROPERTY_CONFLICT",
    "key" -> fact,
    "declared" -> (if (declared.isEmpty) "unset" else declared),
    "asked" -> (if (asked.isEmpty) "unset" else asked)
  )

  /** Accepted property names, each with the canonical name of its fact. */
  val spellings: Seq[(String, String)] = Seq(
    key -> Seq("hoodie.datasource.write.recordkey.field", "hoodie.table.recordkey.fields"),
    ordering -> Seq(
      "orderingFields",
      "hoodie.datasource.write.precombine.field",
      "hoodie.table.precombine.field",
      "hoodie.table.ordering.fields"
    ),
    tableType -> Seq("hoodie.datasource.write.table.type", "hoodie.table.type"),
    index -> Nil,
    buckets -> Nil,
    hashField -> Nil,
    partitions -> Seq("hoodie.table.partition.fields"),
    global -> Nil,
    version -> Seq(TableConfig.Key.version),
    tableName -> Seq("hoodie.datasource.write.table.name"),
    keyGenerator -> Seq(
      "hoodie.datasource.write.keygenerator.type",
      "hoodie.table.keygenerator.class",
      "hoodie.table.keygenerator.type"
    ),
    mergeMode -> Seq(TableConfig.Key.mergeMode)
  ).concat(TunableFacts.names.map(_ -> Nil)).concat(
    DateFolderFacts.names.map(name => name -> DateFolderFacts.older(name).toSeq)
  ).flatMap { case (first, others) =>
    (first +: others).map(_ -> first)
  }

  private val synonyms: Map[String, String] =
    spellings.map { case (name, first) => lower(name) -> first }.toMap

  /** Hudi settings of which hudilite supports one value only. */
  private val fixed = Map(
    "hoodie.index.bucket.engine" -> "SIMPLE",
    "hoodie.metadata.enable" -> "false",
    "hoodie.populate.meta.fields" -> "true",
    "hoodie.table.cdc.enabled" -> "false",
    "hoodie.write.auto.upgrade" -> "false",
    "hoodie.datasource.write.hive_style_partitioning" -> "true",
    "hoodie.datasource.write.partitionpath.urlencode" -> "true",
    "hoodie.datasource.write.drop.partition.columns" -> "false"
  )

  /** Whether an option of Hudi is neither known here nor a likely misspelling of a fact's name. */
  private[catalog] def isUnlisted(name: String): Boolean =
    lower(name).startsWith("hoodie.") && factOf(name).isEmpty && !fixed.contains(lower(name)) &&
      !lower(name).contains("class") && !isNearlyFact(name)

  /** Checks an option that states no fact, for a write to an existing table.
    * Errors: HUDILITE_PROPERTY_CONFLICT if the table has another value; HUDILITE_PROPERTY_UNSUPPORTED. */
  private[catalog] def checkFixed(config: TableConfig, name: String, value: String): Unit = {
    val own = config.properties.get(lower(name)).orElse(fixed.get(lower(name)))
    if (!fixed.contains(lower(name)))
      throw unsupported(name, whyNot(name, value).getOrElse(nearest(name)))
    own.filterNot(_.equalsIgnoreCase(value.trim)).foreach(conflicting =>
      throw conflict(name, conflicting, value)
    )
  }

  private def whyNot(name: String, value: String): Option[String] =
    (lower(name), factOf(name)) match {
      case (_, Some(PropertyRules.tableType)) =>
        Option.when(typeOf(value).isEmpty)(
          s"Write cow (copy-on-write) or mor (merge-on-read) instead of '$value', or remove it."
        )
      case (_, Some(PropertyRules.index)) => whyNoIndex(value.trim.toUpperCase(Locale.ROOT))
      case (_, Some(PropertyRules.global)) =>
        Option.when(!Set("true", "false").contains(lower(value.trim)))(
          s"Write true (the key is unique over all partitions) or false instead of '$value'."
        )
      case (_, Some(PropertyRules.version)) => VersionOfNewTables.whyNot(value)
      case (_, Some(PropertyRules.keyGenerator)) =>
        Option.when(KeyGenerator.spelled(value.trim).isEmpty)(
          s"hudilite loads no classes that properties name, and does not know the rules of '$value'. " +
            "Remove it."
        )
      case (_, Some(PropertyRules.mergeMode)) =>
        Option.when(!Seq(MergeOrder.EventTime, MergeOrder.CommitTime).exists(rule =>
          rule.mode.equalsIgnoreCase(value.trim)
        ))(
          s"Write ${MergeOrder.EventTime.mode} for a table with $ordering, " +
            s"${MergeOrder.CommitTime.mode} for one without, or remove it."
        )
      case (_, Some(fact)) if TunableFacts.names.contains(fact) => TunableFacts.whyNot(fact, value)
      case (_, Some(_)) => None
      case (known, _) if fixed.contains(known) =>
        Option.when(!value.trim.equalsIgnoreCase(fixed(known)))(
          s"Its only supported value is ${fixed(known)}. Remove it."
        )
      case ("path", _) => Some("Write LOCATION '...' instead.")
      case (known, _) if known.startsWith("hoodie.") && known.contains("class") =>
        Some("hudilite loads no classes that properties name. Remove it.")
      case (known, _) if known.startsWith("index.") =>
        Some("It is an option of Flink. Write WITH BUCKETS n [ON (columns)] instead.")
      case (known, _) if known.startsWith("hoodie.") => Some(nearest(name))
      case (known, _) if known.startsWith("hudilite.") && !isNearlyFact(name) =>
        Some("hudilite itself writes the properties that begin with hudilite. Remove it.")
      case (known, _) if known.startsWith("hive.") =>
        Some("Hive's file formats and serdes have no effect. Remove it.")
      case _ => Option.when(isNearlyFact(name))(nearest(name))
    }

  /** Returns the short name of a table type, None if it is none. */
  def typeOf(value: String): Option[String] = lower(value.trim) match {
    case "cow" | "copy_on_write" => Some("cow")
    case "mor" | "merge_on_read" => Some("mor")
    case _ => None
  }

  /** Returns the bloom index under which a key is unique in the same scope as under another of Hudi's
    * indexes, and its file groups have the same names; None for other indexes. */
  private[catalog] def bloomLike(kind: String): Option[String] =
    kind.trim.toUpperCase(Locale.ROOT) match {
      case "SIMPLE" | "RECORD_LEVEL_INDEX" => Some("BLOOM")
      case "GLOBAL_SIMPLE" | "RECORD_INDEX" | "GLOBAL_RECORD_LEVEL_INDEX" => Some("GLOBAL_BLOOM")
      case _ => None
    }

  private def whyNoIndex(kind: String): Option[String] = kind match {
    case "BUCKET" | "BLOOM" | "GLOBAL_BLOOM" => None
    case other =>
      Some(
        s"hudilite has no index of type $other. Write BLOOM or GLOBAL_BLOOM instead, or the clause " +
          "WITH BUCKETS n [ON (columns)]."
      )
  }

  /** Whether a name is a likely misspelling of a fact's name: primary_key, preCombineFeild. */
  private def isNearlyFact(name: String): Boolean = !settingsOfHudi(lower(name)) && {
    val letters = lower(name).filter(_.isLetter)
    val operations = Seq(WriteOperation.option, WriteOperation.partitions).map(lower)
    (synonyms.keys ++ operations).exists(known =>
      known.length > 6 && distance(letters, known.filter(_.isLetter)) <= 2
    )
  }

  /** Settings of Hudi's writer with names like those of facts, in programs for older versions of Hudi. */
  private val settingsOfHudi =
    Set("hoodie.cleaner.commits.retained", "hoodie.cleaner.hours.retained")

  private def nearest(name: String): String =
    Suggestion.of(name,
      spellings.collect { case (known, first) if isFormal(known, first) => known })

  /** Whether an error message may suggest a name: any `hoodie.` name, and canonical names. */
  private def isFormal(name: String, first: String): Boolean =
    name == first || name.startsWith("hoodie.")

  private def distance(one: String, other: String): Int =
    UTF8String.fromString(lower(one)).levenshteinDistance(UTF8String.fromString(lower(other)))

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)

  private[spark] def unsupported(name: String, fix: String = "") =
    AnalysisErrors.of(
      "HUDILITE_PROPERTY_UNSUPPORTED",
      "key" -> name,
      "fix" -> (if (fix.isEmpty) nearest(name) else fix)
    )
}
