package org.apache.spark.sql.hudilite

import org.apache.spark.sql.catalyst.plans.logical.{ColumnDefinition, TableSpec}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.connector.catalog.{CatalogV2Util, Column, TableInfo}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType

/** Declaration that a statement passes to the catalog in which it creates a table. Bridge to
  * CatalogV2Util, which is private[sql]. */
object DeclaredTable {

  /** @param columns columns of the statement */
  def of(
      columns: Seq[ColumnDefinition],
      partitioning: Seq[Transform],
      spec: TableSpec,
      statement: String
  ): TableInfo = info(columns.map(_.toV2Column(statement)).toArray, partitioning, spec)

  /** @param query columns of the query that gives the rows */
  def ofQuery(query: StructType, partitioning: Seq[Transform], spec: TableSpec): TableInfo = info(
    CatalogV2Util.structTypeToV2Columns(CharVarcharUtils.getRawSchema(query)),
    partitioning,
    spec
  )

  private def info(columns: Array[Column], partitioning: Seq[Transform], spec: TableSpec) = {
    val properties = new java.util.HashMap[String, String]()
    CatalogV2Util.convertTableProperties(spec).foreach { case (name, value) =>
      properties.put(name, value)
    }
    new TableInfo.Builder()
      .withColumns(columns)
      .withPartitions(partitioning.toArray)
      .withProperties(properties)
      .withConstraints(spec.constraints.toArray)
      .build()
  }
}
