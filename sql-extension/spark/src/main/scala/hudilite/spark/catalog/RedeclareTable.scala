package hudilite.spark.catalog

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryCommand}
import org.apache.spark.sql.connector.catalog.{Identifier, TableChange}

/** REPLACE TABLE with other comments or properties than the table has: they change once the rows are
  * replaced.
  * @param rows    write that replaces the rows
  * @param changes of comments and of the user's own properties */
final case class RedeclareTable(
    rows: LogicalPlan,
    catalog: HudiliteTableCatalog,
    ident: Identifier,
    changes: Seq[TableChange]
) extends UnaryCommand {

  override def child: LogicalPlan = rows

  override protected def withNewChildInternal(newChild: LogicalPlan): RedeclareTable =
    copy(rows = newChild)

  override protected def stringArgs: Iterator[Any] = Iterator(ident)
}
