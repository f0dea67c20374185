package hudilite.spark.analyze

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.analysis.{
  ResolvedIdentifier,
  ResolvedTable,
  UnresolvedPartitionSpec
}
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  EqualTo,
  InSubquery,
  ListQuery,
  Literal
}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.expressions.{Expressions, Transform}
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.{AnalysisException, SaveMode}

import hudilite.format.{MetaFields, PartitionPath, TableConfig}
import hudilite.io.Storage
import hudilite.spark.catalog.{
  GeneratedColumns,
  HudiliteTable,
  HudiliteTableCatalog,
  PropertyRules,
  SessionParts,
  SessionTables,
  TablePath,
  WriteOperation,
  WriteOptions
}
import hudilite.spark.error.AnalysisErrors

/** Lowers `df.write.save(path)` with its mode and Hudi's operation, by default upsert.
  * @param frame   rows of the DataFrame
  * @param written options as the user wrote them, and partition columns as Spark adds them
  * Source: Hudi's DataSource writer, hoodie.datasource.write.operation. */
private[analyze] final class SavedByPath(
    session: SparkSession,
    frame: LogicalPlan,
    written: Map[String, String],
    mode: SaveMode
) {
  private val path = WriteOptions.valueOf(written, "path").map(_.trim).filter(_.nonEmpty)
    .getOrElse(throw TablePath.noPath)
  private val name = TablePath.nameOf(path)
  private val operation = WriteOperation.of(written)

  /** Columns of `partitionBy`, which Spark passes as an option. */
  private val partitionBy = written.get(DataSourceUtils.PARTITIONING_COLUMNS_KEY)
    .map(DataSourceUtils.decodePartitioningColumns)

  private val options = written - DataSourceUtils.PARTITIONING_COLUMNS_KEY

  /** Rows without Hudi's meta columns, as stock Hudi writes them, too. */
  private val rows =
    if (!frame.output.exists(isMeta)) frame else Project(frame.output.filterNot(isMeta), frame)

  /** Errors: PATH_ALREADY_EXISTS, HUDILITE_PATH_INVALID, HUDILITE_UNSUPPORTED_CLAUSE,
    * HUDILITE_PROPERTY_CONFLICT, HUDILITE_PROPERTY_UNSUPPORTED, those of CREATE TABLE and of the
    * statement that the write becomes. */
  def plan: LogicalPlan = {
    if (
      WriteOptions.valueOf(written, WriteOperation.partitions).nonEmpty &&
      !operation.contains(WriteOperation.DeletePartition)
    )
      throw unsupported(
        s"${WriteOperation.partitions} with operation ${operation.fold("upsert")(_.text)}",
        "Remove the option, or write operation delete_partition."
      )
    if (written.contains(DataSourceUtils.CLUSTERING_COLUMNS_KEY))
      throw unsupported("clusterBy", "Remove it.")
    TablePath.find(session, path) match {
      case Some((root, inside)) =>
        if (inside.nonEmpty)
          throw unsupported("A write to a part of it", s"Write save('$root').")
        existing(TablePath.open(session, Seq(path)))
      case None => created
    }
  }

  private def existing(table: HudiliteTable): LogicalPlan = mode match {
    case SaveMode.Ignore => LocalRelation()
    case SaveMode.ErrorIfExists =>
      throw AnalysisErrors.spark("PATH_ALREADY_EXISTS", "outputPath" -> path)
    case SaveMode.Overwrite =>
      checkPartitions(table)
      operation match {
        case Some(WriteOperation.Delete | WriteOperation.DeletePartition) =>
          throw unsupported(s"Mode overwrite of operation ${operation.map(_.text).mkString}",
            "Write mode('append').")
        case Some(WriteOperation.InsertOverwrite) => overwritten(table)
        case _ => replaced(table)
      }
    case SaveMode.Append =>
      checkPartitions(table)
      operation.getOrElse(byDefault(table)) match {
        case WriteOperation.Delete => deleted(table)
        case WriteOperation.DeletePartition => emptied(table)
        case WriteOperation.InsertOverwrite => overwritten(table)
        case WriteOperation.InsertOverwriteTable => replaced(table)
        case rest =>
          val isUpsert = rest == WriteOperation.Upsert
          if (isUpsert) checkWhole(table)
          if (isUpsert && table.config.isKeyless && madeKey.nonEmpty) upserted(table)
          else AppendData.byName(relation(table), rows, stating(rest))
      }
  }

  /** Operation if none is stated. In a table without key columns, rows without Hudi's record keys have no
    * rows to replace. */
  private def byDefault(table: HudiliteTable): WriteOperation =
    if (table.config.isKeyless && madeKey.isEmpty) WriteOperation.Insert else WriteOperation.Upsert

  /** Column with the record keys of rows that were read from a table of Hudi. */
  private def madeKey: Option[Attribute] = frame.output.find(_.name == MetaFields.RecordKey)

  /** MERGE of rows that were read from a table without key columns: each replaces the row with its record
    * key, and rows without one are added. */
  private def upserted(table: HudiliteTable): LogicalPlan = {
    WriteOptions.check(table.name, table.config, options)
    val target = HudiliteTarget.of(relation(table), table)
    val found = new NewColumns(target, AddNewColumns.option)
    val own = found.added(found.byName(rows.output), WriteOptions.addsColumns(options))
      .withMetadataColumns()
    val computed = GeneratedColumns.absent(table.schema, rows.output)
    val set = own.table.columns.toSeq.map(_.name).filterNot(computed.contains).map { name =>
      Assignment(columnOf(own.output, name), valueOf(name, "upsert"))
    }
    MergeIntoTable(
      own,
      frame,
      EqualTo(columnOf(own.output, MetaFields.RecordKey),
        columnOf(frame.output, MetaFields.RecordKey)),
      Seq(UpdateAction(None, set)),
      Seq(InsertAction(None, set)),
      Nil,
      withSchemaEvolution = false
    )
  }

  private def columnOf(output: Seq[Attribute], name: String): Attribute =
    output.find(_.name == name).getOrElse(throw new NoSuchElementException(name))

  /** Errors: HUDILITE_UNSUPPORTED_CLAUSE if the DataFrame lacks the column. */
  private def valueOf(column: String, operation: String): Attribute =
    rows.output.find(a => conf.resolver(a.name, column)).getOrElse(
      throw unsupported(s"Operation $operation of a DataFrame without column $column",
        s"Add the column $column to the DataFrame.")
    )

  /** Rows without a column would replace its values by null.
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE. */
  private def checkWhole(table: HudiliteTable): Unit = {
    val computed = GeneratedColumns.absent(table.schema, rows.output)
    table.schema.fieldNames.filterNot(computed.contains).foreach(valueOf(_, "upsert"))
  }

  private def stating(of: WriteOperation): Map[String, String] =
    options ++ Option.when(operation.isEmpty)(WriteOperation.option -> of.text)

  private def overwritten(table: HudiliteTable): LogicalPlan =
    OverwritePartitionsDynamic.byName(relation(table), rows, options)

  private def replaced(table: HudiliteTable): LogicalPlan =
    OverwriteByExpression.byName(relation(table), rows, Literal.TrueLiteral,
      OverwriteOption.ofSession(options))

  /** DELETE of the rows with the keys, and in the partitions, of the DataFrame's rows. */
  private def deleted(table: HudiliteTable): LogicalPlan = {
    checkDeletion(table)
    val config = table.config
    val places = if (config.isGlobalIndex) Nil else config.partitionFields
    if (config.isKeyless) deletedByMadeKey(table)
    else if (!config.hasKeyColumns)
      throw unsupported("Operation delete of a table without key columns",
        s"Run DELETE FROM $name WHERE ... with a condition.")
    else {
      val own = relation(table)
      val pairs = (config.recordKeyFields ++ places).distinct.map { column =>
        val value = valueOf(column, "delete")
        own.output.find(_.name == column).map(_ -> value)
      }
      val (columns, values) = pairs.flatten.unzip
      DeleteFromTable(own, InSubquery(columns, ListQuery(Project(values, rows))))
    }
  }

  private def deletedByMadeKey(table: HudiliteTable): LogicalPlan = {
    val key = madeKey.getOrElse(throw unsupported(
      s"Operation delete of rows without ${MetaFields.RecordKey} from a table without key columns",
      s"Add the column to the rows: spark.read.format('hudilite').load('$path')" +
        s".select('*', '${MetaFields.RecordKey}'). Or run DELETE FROM $name WHERE ... with a condition."
    ))
    val own = relation(table).withMetadataColumns()
    val sought = ListQuery(Project(Seq(key), frame))
    DeleteFromTable(own, InSubquery(Seq(columnOf(own.output, MetaFields.RecordKey)), sought))
  }

  /** DROP PARTITION of the partitions that an option lists. */
  private def emptied(table: HudiliteTable): LogicalPlan = {
    checkDeletion(table)
    val listed = WriteOptions.valueOf(options, WriteOperation.partitions).toSeq
      .flatMap(PropertyRules.names)
    if (listed.isEmpty)
      throw unsupported(
        s"Operation delete_partition without ${WriteOperation.partitions}",
        s"Add .option('${WriteOperation.partitions}', '...') with paths of partitions, separated by commas."
      )
    if (table.config.partitionFields.isEmpty)
      throw unsupported(
        "Operation delete_partition of a table without partitions",
        "Write operation delete with the rows to delete."
      )
    val specs = listed.map { partition =>
      val values = valuesIn(partition, table.config).getOrElse(throw unsupported(
        s"${WriteOperation.partitions} = '$partition'",
        s"Write paths of partitions as SHOW PARTITIONS $name lists them."
      ))
      val spec = table.config.partitionFields.zip(values.map(_.orNull)).toMap
      UnresolvedPartitionSpec(spec, None)
    }
    val (catalog, ident) = place
    DropPartitions(ResolvedTable.create(catalog, ident, table), specs, ifExists = true,
      purge = false)
  }

  /** Returns the values in the path of a partition, as SHOW PARTITIONS lists it or as its folder is
    * named. */
  private def valuesIn(partition: String, config: TableConfig): Option[Seq[Option[String]]] =
    PartitionPath.decode(partition, config.partitionFields, hiveStyle = true, urlEncode = true)
      .orElse(PartitionPath.decode(partition, config))
      .filter(_ => !partition.contains('*'))

  /** Checks the options of a deletion, which brings no rows. */
  private def checkDeletion(table: HudiliteTable): Unit = {
    WriteOptions.check(table.name, table.config, options)
    if (WriteOptions.addsColumns(options))
      throw unsupported(s"Option mergeSchema with operation ${operation.map(_.text).mkString}",
        "Remove the option: a deletion adds no columns.")
  }

  /** CREATE TABLE AS SELECT with the facts that the options state. */
  private def created: LogicalPlan = operation match {
    case Some(WriteOperation.Delete | WriteOperation.DeletePartition) =>
      TablePath.open(session, Seq(path)): Unit
      LocalRelation()
    case _ =>
      val (catalog, ident) = place
      CreateTableAsSelect(
        ResolvedIdentifier(catalog, ident),
        partitions,
        rows,
        UnresolvedTableSpec(
          properties = Map.empty,
          provider = Some(SessionTables.provider),
          optionExpression = OptionList(Nil),
          location = Some(ident.name),
          comment = None,
          collation = None,
          serde = None,
          external = false,
          constraints = Nil
        ),
        (if (mode == SaveMode.Overwrite) OverwriteOption.ofNewTable(options) else options)
          .filterNot { case (name, _) => name.equalsIgnoreCase(WriteOperation.option) } +
          (WriteOperation.option -> ofNewTable.text),
        ignoreIfExists = false
      )
  }

  /** Operation on the rows of a new table, which has none to replace. Of rows with equal keys an upsert
    * keeps one; without a key all stay. */
  private def ofNewTable: WriteOperation = operation match {
    case Some(WriteOperation.InsertOverwrite | WriteOperation.InsertOverwriteTable) =>
      WriteOperation.Insert
    case Some(WriteOperation.Upsert) | None if !hasKey => WriteOperation.Insert
    case other => other.getOrElse(WriteOperation.Upsert)
  }

  private def hasKey: Boolean =
    PropertyRules.facts(options).get(PropertyRules.key).exists(PropertyRules.names(_).nonEmpty)

  private def partitions: Seq[Transform] = partitionBy
    .orElse(PropertyRules.facts(options).get(PropertyRules.partitions).map(PropertyRules.names))
    .getOrElse(Nil)
    .map(column => Expressions.identity(quoteIfNeeded(column)))

  /** Errors: HUDILITE_UNSUPPORTED_CLAUSE for partitionBy with other columns than the table's. */
  private def checkPartitions(table: HudiliteTable): Unit = {
    val own = table.config.partitionFields
    val differs = partitionBy.exists(columns =>
      columns.size != own.size || !columns.zip(own).forall { case (a, b) => conf.resolver(a, b) }
    )
    if (differs)
      throw unsupported(s"partitionBy(${partitionBy.toSeq.flatten.mkString(", ")})",
        "Remove it: the partition columns of the table are used.")
  }

  /** Catalog that creates tables, and the identifier of the path in it. */
  private def place: (HudiliteTableCatalog, Identifier) = {
    val folder = Storage.qualified(new Path(path), session.sessionState.newHadoopConf())
    val own = SessionParts.ownCatalog(conf).map(session.sessionState.catalogManager.catalog)
    own.collect { case catalog: HudiliteTableCatalog => catalog }
      .map(_ -> Identifier.of(Array(SessionTables.provider), folder.toString))
      .getOrElse(throw SessionParts.foreignCatalog("spark_catalog", conf))
  }

  private def relation(table: HudiliteTable): DataSourceV2Relation =
    DataSourceV2Relation.create(table, None, None)

  private def isMeta(column: Attribute): Boolean =
    MetaFields.all.contains(column.name)

  private def conf = session.sessionState.conf

  private def unsupported(clause: String, fix: String): AnalysisException = AnalysisErrors.of(
    "HUDILITE_UNSUPPORTED_CLAUSE",
    "clause" -> clause,
    "table" -> name,
    "fix" -> fix
  )
}
