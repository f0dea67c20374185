package hudilite.spark.analyze

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.{
  ResolvedIdentifier,
  ResolvedTable,
  UnresolvedPartitionSpec
}
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Identifier, TableChange}

import hudilite.spark.catalog.{
  ColumnChangeRules,
  GeneratedColumns,
  HudiliteTable,
  HudiliteTableCatalog,
  SessionParts,
  SessionTables,
  ShowCreateTableCommand,
  ShowPartitionsCommand,
  TableDeclaration,
  TablePath
}
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.plan.NewTableFormat

/** Analyzer rule that rejects unsupported statements on hudilite tables with a named error, before
  * Spark runs a part of them: some of Spark's fallbacks drop the old table first. Also replaces
  * SHOW CREATE TABLE and SHOW PARTITIONS by hudilite's own commands. */
final case class CheckHudilite(session: SparkSession)
    extends Rule[LogicalPlan]
    with SessionParts.OfExtension {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case create: V2CreateTablePlan =>
      checkCreate(create)
      create
    case ShowCreateTable(
          ResolvedTable(owner, name, table: HudiliteTable, _),
          asSerde,
          output
        ) =>
      if (asSerde)
        throw refused("SHOW CREATE TABLE AS SERDE", table.name, "Remove AS SERDE.")
      ShowCreateTableCommand(table, owner.name +: name.namespace.toSeq :+ name.name, output)
    case ShowPartitions(ResolvedTable(_, _, table: HudiliteTable, _), spec, output) =>
      val wanted = spec.collect { case UnresolvedPartitionSpec(values, _) => values }
      ShowPartitionsCommand.of(table, wanted.getOrElse(Map.empty), output)
    case describe: DescribeRelation if describe.isExtended =>
      describe.copy(relation = described(describe.relation))
    case describe: DescribeColumn if describe.isExtended =>
      describe.copy(relation = described(describe.relation))
    case command: Command =>
      command.children.foreach {
        case ResolvedTable(catalog, name, table: HudiliteTable, _) =>
          checkCommand(command, table)
          checkNotNull(command, table, catalog, name)
        case _ =>
      }
      command
  }

  /** Returns a table of DESCRIBE EXTENDED, which shows its statistics. */
  private def described(relation: LogicalPlan): LogicalPlan = relation match {
    case of @ ResolvedTable(_, _, table: HudiliteTable, _) if !table.isDescribed =>
      of.copy(table = table.described)
    case other => other
  }

  /** Rejects SET NOT NULL before Spark does, whose error does not say what to type instead. Defaults
    * are left out: they are no constants yet. */
  private def checkNotNull(
      command: Command,
      table: HudiliteTable,
      catalog: CatalogPlugin,
      name: Identifier
  ): Unit =
    command match {
      case alter: AlterColumns if alter.resolved =>
        alter.copy(specs = alter.specs.map(_.copy(newDefaultExpression = None))).changes.foreach {
          case change: TableChange.UpdateColumnNullability =>
            new ColumnChangeRules(table, written(catalog, name)).checkNullability(change,
              table.schema)
          case _ =>
        }
      case _ =>
    }

  private def checkCreate(create: V2CreateTablePlan): Unit = create match {
    case plan: CreateTable if NewTableFormat.isOurs(plan) =>
      checkCatalog(plan.name)
      TableDeclaration.checkReferences(nameOf(plan.name), plan.tableSchema, plan.partitioning)
      checkGenerated(plan, "CREATE TABLE")
    case plan: CreateTableAsSelect if NewTableFormat.isOurs(plan) && plan.query.resolved =>
      checkCatalog(plan.name)
      TableDeclaration.checkReferences(nameOf(plan.name), plan.tableSchema, plan.partitioning)
    case plan: ReplaceTable =>
      checkReplace(plan)
      if (NewTableFormat.isOurs(plan)) {
        TableDeclaration.checkReferences(nameOf(plan.name), plan.tableSchema, plan.partitioning)
        checkGenerated(plan, "REPLACE TABLE")
      }
    case plan: ReplaceTableAsSelect =>
      checkReplace(plan)
      if (NewTableFormat.isOurs(plan) && plan.query.resolved)
        TableDeclaration.checkReferences(nameOf(plan.name), plan.tableSchema, plan.partitioning)
    case _ =>
  }

  private def checkGenerated(create: V2CreateTablePlan, statement: String): Unit =
    create.name match {
      case ResolvedIdentifier(catalog: HudiliteTableCatalog, name) =>
        GeneratedColumns.check(create.tableSchema, catalog, name, statement)
      case _ =>
    }

  private def checkCatalog(name: LogicalPlan): Unit = name match {
    case ResolvedIdentifier(_: HudiliteTableCatalog, _) =>
    case ResolvedIdentifier(other, _) => throw SessionParts.foreignCatalog(other.name, conf)
    case _ =>
  }

  /** Rejects a REPLACE TABLE that would drop a table: one of hudilite by a table of another format,
    * or one of another format by a table of hudilite. */
  private def checkReplace(replace: V2CreateTablePlan): Unit = {
    val name = replace.name
    val entry = entryOf(name)
    if (NewTableFormat.isOurs(replace)) {
      checkCatalog(name)
      entry.filterNot(SessionTables.isOurs).foreach { other =>
        val isView = other.tableType == CatalogTableType.VIEW
        throw refused(
          s"REPLACE TABLE of a ${if (isView) "view" else "table of another format"}",
          nameOf(name),
          s"Run the statement again after: DROP ${if (isView) "VIEW" else "TABLE"} ${nameOf(name)}"
        )
      }
    } else if (entry.exists(SessionTables.isOurs))
      throw refused(
        "REPLACE TABLE by a table of another format",
        nameOf(name),
        s"Write USING hudilite, or run the statement again after: DROP TABLE ${nameOf(name)}"
      )
  }

  /** Accepts commands that only read catalog and table, that another rule of hudilite lowers, or
    * that HudiliteCatalog runs; rejects all others. */
  private def checkCommand(command: Command, table: HudiliteTable): Unit = command match {
    case _: DescribeRelation | _: DescribeColumn | _: ShowTableProperties | _: ShowColumns |
        _: RefreshTable | _: TruncateTable | _: TruncatePartition | _: DropPartitions =>
    case _: AddColumns | _: ReplaceColumns | _: AlterColumns | _: RenameColumn | _: DropColumns | _: CommentOnTable |
        _: SetTableProperties | _: UnsetTableProperties | _: RenameTable | _: DropConstraint =>
    case other =>
      throw refused(CheckHudilite.statement(other), table.name, CheckHudilite.fix(other, table))
  }

  /** Returns the entry of a table or view in the session catalog. */
  private def entryOf(name: LogicalPlan): Option[CatalogTable] = name match {
    case ResolvedIdentifier(catalog, identifier)
        if identifier.namespace.length == 1 && holdsSessionTables(catalog) &&
          !TablePath.isPath(identifier) =>
      tables.entry(TableIdentifier(identifier.name, identifier.namespace.headOption))
    case _ => None
  }

  private def holdsSessionTables(catalog: CatalogPlugin): Boolean =
    catalog.isInstanceOf[HudiliteTableCatalog] || catalog.name == SessionParts.sessionCatalog

  private def nameOf(name: LogicalPlan): String = name match {
    case ResolvedIdentifier(catalog, identifier) => written(catalog, identifier)
    case other => other.simpleString(conf.maxToStringFields)
  }

  private def written(catalog: CatalogPlugin, name: Identifier): String = SessionParts.nameIn(
    CheckHudilite.classic(session),
    catalog.name,
    name.namespace.toSeq :+ name.name
  )

  private def tables: SessionTables = new SessionTables(CheckHudilite.classic(session))

  private def refused(statement: String, table: String, fix: String) = AnalysisErrors.of(
    "HUDILITE_UNSUPPORTED_STATEMENT",
    "statement" -> statement,
    "table" -> table,
    "fix" -> fix
  )
}

object CheckHudilite {

  /** Statement name of a command, from its class name: AddColumns is ALTER TABLE's ADD COLUMNS. */
  private def statement(command: Command): String =
    command.nodeName.replaceAll("([a-z])([A-Z])", "$1 $2").toUpperCase(java.util.Locale.ROOT)

  /** Returns what to write instead of a command that is not supported. */
  private def fix(command: Command, table: HudiliteTable): String = command match {
    case _: RecoverPartitions | _: RepairTable =>
      "Commits, not folders, say which partitions a table has. Leave the statement out."
    case load: LoadData =>
      val path = load.path.replace("`", "``")
      val verb = if (load.isOverwrite) "OVERWRITE" else "INTO"
      s"For files of Parquet, type: INSERT $verb ${table.name} SELECT * FROM parquet.`$path`"
    case _ => "The SQL reference lists the supported statements."
  }

  private[analyze] def classic(session: SparkSession): org.apache.spark.sql.classic.SparkSession =
    session match {
      case own: org.apache.spark.sql.classic.SparkSession => own
      case _ => org.apache.spark.sql.classic.SparkSession.active
    }
}
