package hudilite.spark.catalog

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.types.StructType

import hudilite.io.SoftCache

/** Columns of the tables that this JVM has opened last, with the facts from which they were read:
  * nearly every statement finds the same facts again. */
private[catalog] object KnownColumns {
  private final case class Known(facts: Seq[Any], columns: StructType)

  private val tables = new SoftCache[Path, Known]

  /** Returns the columns of a table, which are read unless they are known.
    * @param table location of the table
    * @param facts everything on which the columns depend */
  def of(table: Path, facts: Seq[Any])(read: => StructType): StructType =
    tables.get(table).filter(_.facts == facts).fold {
      val columns = read
      tables.put(table, Known(facts, columns))
      columns
    }(_.columns)
}
