package hudilite.spark.catalog

import java.util.Locale

import hudilite.spark.catalog.WriteOptions.valueOf

/** Hudi's operation of a DataFrame writer.
  * @param text value of the option */
sealed abstract class WriteOperation(val text: String)

object WriteOperation {

  /** Option of the writer, as in Hudi. */
  val option: String = "hoodie.datasource.write.operation"

  /** Option that lists the partitions of `delete_partition`, as in Hudi. */
  val partitions: String = "hoodie.datasource.write.partitions.to.delete"

  /** Replaces the rows with the keys of the source, and adds the other rows. */
  case object Upsert extends WriteOperation("upsert")

  /** Adds rows. */
  case object Insert extends WriteOperation("insert")

  /** Adds rows, too: hudilite has one way to insert. */
  case object BulkInsert extends WriteOperation("bulk_insert")

  /** Deletes the rows with the keys of the source. */
  case object Delete extends WriteOperation("delete")

  /** Replaces the partitions to which rows of the source belong. */
  case object InsertOverwrite extends WriteOperation("insert_overwrite")

  /** Replaces all rows. */
  case object InsertOverwriteTable extends WriteOperation("insert_overwrite_table")

  /** Empties the partitions of [[partitions]]. */
  case object DeletePartition extends WriteOperation("delete_partition")

  /** Operations of a write that adds rows to those of a table. */
  val ofAppends: Set[WriteOperation] = Set(Upsert, Insert, BulkInsert)

  private val all: Seq[WriteOperation] =
    Seq(Upsert, Insert, BulkInsert, Delete, InsertOverwrite, InsertOverwriteTable, DeletePartition)

  /** Returns the operation that the options of a writer state, if they do.
    * Errors: HUDILITE_PROPERTY_UNSUPPORTED. */
  def of(options: Map[String, String]): Option[WriteOperation] =
    valueOf(options, option).map { text =>
      all.find(_.text == text.trim.toLowerCase(Locale.ROOT)).getOrElse(
        throw PropertyRules.unsupported(
          option,
          s"Write ${all.init.map(_.text).mkString(", ")} or ${all.last.text} instead of '$text'."
        )
      )
    }
}
