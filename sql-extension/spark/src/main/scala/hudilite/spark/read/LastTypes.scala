package hudilite.spark.read

import java.util.concurrent.atomic.AtomicReference

import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.types.StructType

/** Columns whose types in a Parquet schema are not those to read, found once for schemas that follow each
  * other (task side): the row groups of a file have one schema, and so have most blocks of a slice.
  * @param columns         columns to read
  * @param isCaseSensitive whether columns are found by their exact names */
private[read] final class LastTypes(columns: StructType, isCaseSensitive: Boolean) {
  private val last = new AtomicReference(Option.empty[(MessageType, Option[ChangedTypes])])

  /** Returns the columns with other types in a schema; None if there are none. */
  def of(schema: MessageType): Option[ChangedTypes] =
    last.get.filter { case (known, _) => (known eq schema) || known == schema }.fold {
      val found = ChangedTypes.of(schema, columns, isCaseSensitive)
      last.set(Some(schema -> found))
      found
    }(_._2)
}
