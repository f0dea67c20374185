package hudilite.spark.command

import org.apache.spark.sql.catalyst.expressions.{
  ForeignKeyConstraint,
  Literal,
  PrimaryKeyConstraint,
  UniqueConstraint
}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIfNeeded

import hudilite.spark.plan.NamedTable
import hudilite.spark.plan.TableCommand.Refused

/** Statement that Spark parses and no hudilite table supports, with what to write instead. */
private[command] object RefusedPlan {

  def unapply(plan: LogicalPlan): Option[(CommandTarget, Refused)] = plan match {
    case CreateIndex(CommandTarget(of), _, _, _, _, _) => Some(of -> index("CREATE INDEX"))
    case DropIndex(CommandTarget(of), _, _) => Some(of -> index("DROP INDEX"))
    case AlterTableClusterBy(CommandTarget(of), columns) =>
      val names = columns.toSeq.flatMap(_.columnNames.map(_.fieldNames.mkString(".")))
      Some(of -> refused(
        if (columns.isEmpty) "CLUSTER BY NONE" else "CLUSTER BY",
        clusterBy(_, names)
      ))
    case SetTableSerDeProperties(CommandTarget(of), _, Some(properties), None) =>
      Some(of -> refused("SET SERDEPROPERTIES",
        t => s"A table has one set of properties. Write: ${withProperties(t, properties)}"))
    case SetTableSerDeProperties(CommandTarget(of), _, _, _) =>
      Some(of -> refused(
        "SET SERDE",
        t =>
          s"The files of a table are Parquet. To see its properties, write: SHOW TBLPROPERTIES ${t.name}"
      ))
    case AnalyzeTable(CommandTarget(of), partition, _) if partition.nonEmpty => Some(of -> analyze)
    case AddConstraint(CommandTarget(of), constraint) =>
      Some(of -> (constraint match {
        case key: PrimaryKeyConstraint =>
          refused("ADD PRIMARY KEY",
            t =>
              s"The key of a table is fixed. Write: ${t.copy(key = key.columns).copied()}")
        case key: UniqueConstraint =>
          refused("ADD UNIQUE",
            t =>
              "Only the key of a table is unique, and it is fixed. Write: " +
                t.copy(key = key.columns).copied())
        case _: ForeignKeyConstraint =>
          refused("ADD FOREIGN KEY",
            t =>
              "Rows of other tables are not checked. To see the key of the table, write: " +
                s"SHOW CREATE TABLE ${t.name}")
        case other =>
          refused(s"ADD ${other.sql}",
            t => s"To see the constraints, write: DESCRIBE EXTENDED ${t.name}")
      }))
    case _ => None
  }

  private def clusterBy(table: NamedTable, names: Seq[String]): String = {
    val sorted = names.filterNot(table.partitions.contains).map(quoteIfNeeded)
    if (table.buckets.nonEmpty || sorted.isEmpty)
      "The rows of a file are in the order of the record key, and only WITH BUCKETS of CREATE TABLE " +
        s"says which rows share a file. Write: OPTIMIZE ${table.name}"
    else
      "A table has no order of its own: each call says by which columns it sorts rows into files. " +
        s"Write: OPTIMIZE ${table.name} ZORDER BY ${sorted.mkString("(", ", ", ")")}"
  }

  private def withProperties(table: NamedTable, properties: Map[String, String]): String =
    properties.toSeq.sorted
      .map { case (name, value) => s"${Literal(name).sql} = ${Literal(value).sql}" }
      .mkString(s"ALTER TABLE ${table.name} SET TBLPROPERTIES (", ", ", ")")

  private def analyze: Refused = Refused(
    "ANALYZE TABLE ... PARTITION",
    isClause = true,
    t =>
      "Statistics are those of the whole table; a query of some partitions takes their share by the " +
        s"size of the files. Write: ANALYZE TABLE ${t.name} COMPUTE STATISTICS"
  )

  private def index(words: String): Refused = Refused(
    words,
    isClause = false,
    t =>
      "A table has one index, which CREATE TABLE declares and every write keeps up to date. To see it, " +
        s"write: ${t.called("show_index")}"
  )

  private def refused(words: String, fix: NamedTable => String): Refused =
    Refused(s"ALTER TABLE ... $words", isClause = false, fix)
}
