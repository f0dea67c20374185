package hudilite.spark.catalog

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.connector.catalog.{TableCatalog, TableChange, TableInfo}
import org.apache.spark.sql.types.StructField

import hudilite.format.IndexKind
import hudilite.spark.error.AnalysisErrors

/** Comparison of a REPLACE TABLE with the table that it replaces. The statement declares a whole
  * table, as CREATE TABLE does. Facts and columns are in hoodie.properties and must be those that
  * the table has, because this file and the rows cannot change at once. Comments and the user's own
  * properties become those of the statement.
  *
  * @param name    catalog, database and table
  * @param info    what the statement declares
  * @param isQuery whether a query gives the columns (AS SELECT): then it declares neither NOT NULL
  *                nor defaults nor comments of columns, and those of the table stay */
private[spark] final class Redeclaration(
    table: HudiliteTable,
    name: Seq[String],
    info: TableInfo,
    isQuery: Boolean
) {
  private val config = table.config
  private val written = name.map(quoteIfNeeded).mkString(".")
  private val declared = {
    val ident = TableIdentifier(name.last, name.drop(1).dropRight(1).lastOption)
    if (info.columns.isEmpty)
      throw unsupported("REPLACE TABLE without columns",
        s"To remove all rows, type: TRUNCATE TABLE $written")
    TableDeclaration.of(ident, info)
  }
  private val own = table.schema
  private val asked = declared.schema

  /** Returns the changes of comments and properties.
    * Errors: HUDILITE_REPLACE_DIFFERS for other facts or columns; those of TableDeclaration.of. */
  def changes: Seq[TableChange] = {
    checkFacts()
    checkNames()
    own.zip(asked).foreach { case (is, to) => checkColumn(is, to) }
    val all = comment.toSeq ++ properties ++ columnComments
    if (all.nonEmpty && !table.isInCatalog)
      throw unsupported("REPLACE TABLE by path with comments or properties", "Remove them.")
    all
  }

  private def checkFacts(): Unit = {
    val stated = PropertyRules.facts(info.properties.asScala.toMap)
    def compare(fact: String, has: String, states: String): Unit =
      if (has != states) throw differs(fact, has, states, afterDrop)
    def list(columns: Seq[String]) = columns.mkString(", ")
    compare("PRIMARY KEY", list(config.recordKeyFields), list(declared.keyFields))
    compare("PARTITIONED BY", list(config.partitionFields), list(declared.partitionFields))
    compare(PropertyRules.index, index(config.index), index(declared.index))
    compare(PropertyRules.ordering, list(config.namedOrderingFields),
      list(declared.orderingFields))
    compare(PropertyRules.global, config.isGlobalIndex.toString, declared.isGlobal.toString)
    compare(PropertyRules.tableType, TableFacts.typeOf(config),
      if (declared.isMergeOnRead) "mor" else "cow")
    if (stated.contains(PropertyRules.version))
      compare(PropertyRules.version, config.version.code, declared.version.code)
    if (!isQuery) compareChecks()
    TunableFacts.other(declared.tuned, config).foreach { case (fact, value) =>
      throw differs(fact, TableFacts.value(config, fact), value,
        after(s"ALTER TABLE $written SET TBLPROPERTIES ('$fact' = '$value')"))
    }
    declared.location.filterNot(table.isAt).foreach { location =>
      throw differs("LOCATION", table.basePath.toString, location,
        "Remove LOCATION, or choose another name.")
    }
  }

  /** Compares the conditions of CHECK constraints. Those without a name get another name each time. */
  private def compareChecks(): Unit = {
    val (has, states) = (config.checks, declared.checks)
    def conditions(checks: Seq[(String, String)]) = checks.map(_._2).sorted.mkString(" and ")
    if (conditions(has) != conditions(states)) {
      def missing(from: Seq[(String, String)], in: Seq[(String, String)]) =
        from.find { case (_, condition) => !in.exists(_._2 == condition) }
      def drop(name: String) =
        after(s"ALTER TABLE $written DROP CONSTRAINT ${quoteIfNeeded(name)}")
      val fix = missing(states, has).map {
        case (name, _) if has.exists(_._1.equalsIgnoreCase(name)) => drop(name)
        case (name, condition) =>
          after(s"ALTER TABLE $written ADD ${CheckConstraints.ddl(name, condition)}")
      }.orElse(missing(has, states).map { case (name, _) => drop(name) })
      throw differs("CHECK", conditions(has), conditions(states), fix.getOrElse(afterDrop))
    }
  }

  private def index(kind: IndexKind): String = kind match {
    case IndexKind.Bucket(n, columns) => s"BUCKET ($n) ON (${columns.sorted.mkString(", ")})"
    case IndexKind.Bloom => "BLOOM"
  }

  private def checkNames(): Unit =
    if (names(own) != names(asked))
      throw differs("columns", names(own).mkString(", "), names(asked).mkString(", "), columnsFix)

  private def columnsFix: String = {
    val added = asked.drop(own.length)
    val dropped = own.filterNot(field => names(asked).contains(field.name))
    if (typed(asked.take(own.length)) == typed(own) && added.forall(isPlain))
      after(s"ALTER TABLE $written ADD COLUMNS (${added.map(ddl).mkString(", ")})")
    else if (typed(own.filterNot(dropped.contains)) == typed(asked) && dropped.forall(isFree))
      after(s"ALTER TABLE $written DROP COLUMNS " +
        dropped.map(field => quoteIfNeeded(field.name)).mkString("(", ", ", ")"))
    else afterDrop
  }

  private def checkColumn(is: StructField, to: StructField): Unit = {
    def check(has: String, states: String, fix: => String = afterDrop): Unit =
      if (has != states) throw differs("columns", has, states, fix)
    def widening =
      if (ColumnChanges.widens(is.dataType, to.dataType) && isFree(is))
        after(
          s"ALTER TABLE $written ALTER COLUMN ${quoteIfNeeded(is.name)} TYPE ${to.dataType.sql}"
        )
      else afterDrop
    check(text(is), text(to), widening)
    if (!isQuery) {
      def nullable(field: StructField) =
        if (field.nullable || config.recordKeyFields.contains(field.name)) text(field)
        else s"${text(field)} NOT NULL"
      def default(field: StructField) =
        text(field) + field.getCurrentDefaultValue().fold("")(value => s" DEFAULT $value")
      def generated(field: StructField) =
        (text(field) +: GeneratedColumns.expressionOf(field).map(GeneratedColumns.ddl).toSeq)
          .mkString(" ")
      check(nullable(is), nullable(to))
      check(generated(is), generated(to))
      check(default(is), default(to), after(defaultOf(to)))
    }
  }

  /** Returns the statement that gives a column the default of the statement. */
  private def defaultOf(to: StructField): String = {
    val change = to.getCurrentDefaultValue().fold("DROP DEFAULT")(value => s"SET DEFAULT $value")
    s"ALTER TABLE $written ALTER COLUMN ${quoteIfNeeded(to.name)} $change"
  }

  private def names(fields: Seq[StructField]): Seq[String] = fields.map(_.name)

  private def typed(fields: Seq[StructField]): Seq[String] = fields.map(text)

  private def text(field: StructField): String =
    s"${field.name} ${field.dataType.catalogString.toUpperCase}"

  private def ddl(field: StructField): String =
    s"${quoteIfNeeded(field.name)} ${field.dataType.sql}"

  /** Whether ALTER TABLE can add the column as the statement declares it. */
  private def isPlain(field: StructField): Boolean =
    isQuery || field.nullable && field.getCurrentDefaultValue().isEmpty &&
      GeneratedColumns.expressionOf(field).isEmpty

  /** Whether ALTER TABLE can drop the column or change its type. */
  private def isFree(field: StructField): Boolean =
    !config.namedColumns.contains(field.name)

  private def comment: Option[TableChange] = {
    val before = Option(table.properties.get(TableCatalog.PROP_COMMENT))
    Option.when(before != declared.comment)(
      declared.comment.fold(TableChange.removeProperty(TableCatalog.PROP_COMMENT))(
        TableChange.setProperty(TableCatalog.PROP_COMMENT, _)
      )
    )
  }

  private def properties: Seq[TableChange] = {
    val before = table.ownProperties
    val set = declared.properties.filterNot { case (name, value) =>
      before.get(name).contains(value)
    }
    set.toSeq.sorted.map { case (name, value) => TableChange.setProperty(name, value) } ++
      (before.keySet -- declared.properties.keySet).toSeq.sorted.map(TableChange.removeProperty)
  }

  private def columnComments: Seq[TableChange] =
    if (isQuery) Nil
    else
      own.zip(asked).collect {
        case (is, to) if is.getComment() != to.getComment() =>
          TableChange.updateColumnComment(Array(is.name), to.getComment().orNull)
      }

  private def afterDrop: String =
    if (table.properties.containsKey(TableCatalog.PROP_EXTERNAL) || !table.isInCatalog)
      "Its files stay where they are after DROP TABLE, so choose another name and LOCATION."
    else after(s"DROP TABLE $written")

  private def after(statement: String): String = s"Run the statement again after: $statement"

  private def differs(
      fact: String,
      has: String,
      states: String,
      fix: String
  ): AnalysisException = AnalysisErrors.of(
    "HUDILITE_REPLACE_DIFFERS",
    "table" -> table.name,
    "fact" -> fact,
    "declared" -> (if (has.isEmpty) "none" else has),
    "asked" -> (if (states.isEmpty) "none" else states),
    "fix" -> fix
  )

  private def unsupported(statement: String, fix: String): AnalysisException = AnalysisErrors.of(
    "HUDILITE_UNSUPPORTED_STATEMENT",
    "statement" -> statement,
    "table" -> table.name,
    "fix" -> fix
  )
}
