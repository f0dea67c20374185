package hudilite.spark.exec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.connector.catalog.{Identifier, TableChange}
import org.apache.spark.sql.execution.datasources.v2.V2CommandExec
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import hudilite.spark.catalog.HudiliteTableCatalog

/** Operator of REPLACE TABLE with other comments or properties (driver side). It changes them once
  * the rows are committed: a statement that fails changes nothing, and one that is killed between
  * the two has replaced the rows and may be run again.
  *
  * @param child operator that replaces the rows */
case class RedeclareTableExec(
    catalog: HudiliteTableCatalog,
    ident: Identifier,
    changes: Seq[TableChange],
    refreshCache: () => Unit,
    child: SparkPlan
) extends V2CommandExec
    with UnaryExecNode {

  override def output: Seq[Attribute] = Nil

  override protected def run(): Seq[InternalRow] = {
    child.executeCollect(): Unit
    catalog.alterTable(ident, changes: _*): Unit
    refreshCache()
    Nil
  }

  override def simpleString(maxFields: Int): String = s"$nodeName $ident"

  override protected def withNewChildInternal(newChild: SparkPlan): RedeclareTableExec =
    copy(child = newChild)
}
