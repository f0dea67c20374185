package hudilite.spark.catalog

import org.apache.spark.sql.sources.CreatableRelationProvider
import org.apache.spark.sql.types.DataType

/** Data source whose `df.write.save(path)` a rule of the session extension lowers, see LowerSave. Its
  * one class, HudiliteSource, stands above that rule. */
trait WrittenByPath extends CreatableRelationProvider {

  /** True for all types: CREATE TABLE checks them. */
  override def supportsDataType(dataType: DataType): Boolean = true
}
