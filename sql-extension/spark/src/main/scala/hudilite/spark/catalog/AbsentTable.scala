package hudilite.spark.catalog

import java.util

import org.apache.spark.sql.connector.catalog.{Table, TableCapability}
import org.apache.spark.sql.types.StructType

/** Table of a path without one. It can be neither read nor written, so that Spark asks the data source
  * itself: for a relation when it reads, which fails, and for a write, which creates the table.
  * @param name the path, for messages */
final class AbsentTable(override val name: String) extends Table {
  override def schema: StructType = new StructType()

  override def capabilities: util.Set[TableCapability] =
    util.EnumSet.noneOf(classOf[TableCapability])
}
