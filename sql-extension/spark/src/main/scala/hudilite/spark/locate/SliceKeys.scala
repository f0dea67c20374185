package hudilite.spark.locate

import scala.util.Using

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.MetaFields
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.MetaColumns
import hudilite.spark.read.{SliceReader, SliceReaderFactory}
import hudilite.view.{FileSlice, TableSnapshot}

/** Record keys of the rows of file slices, their log files included (driver side).
  * @param reader reads `_hoodie_record_key` alone */
final class SliceKeys private (session: SparkSession, val reader: SliceReaderFactory) {

  /** Returns the number of rows of some slices, which tasks count. */
  def count(slices: Seq[FileSlice]): Long = {
    val read = reader
    session.sparkContext
      .parallelize(slices, math.max(1, slices.size))
      .map { slice =>
        var rows = 0L
        SliceKeys.each(read, slice)(_ => rows += 1)
        rows
      }
      .fold(0L)(_ + _)
  }
}

object SliceKeys {

  /** Returns the keys of a table.
    * @param snapshot the one that the slices are of */
  def of(session: SparkSession, table: HudiliteTable, snapshot: TableSnapshot): SliceKeys = {
    val schema = MetaColumns.before(table.schema)
    val key = StructType(schema.fields.filter(_.name == MetaFields.RecordKey))
    new SliceKeys(
      session,
      SliceReader.factory(
        session,
        table.config,
        schema,
        key,
        Array.empty,
        strict = true,
        logs = Some(snapshot)
      )
    )
  }

  /** Calls `visit` for the key of each row of a slice; the key is valid until it returns. */
  private[locate] def each(reader: SliceReaderFactory, slice: FileSlice)(
      visit: UTF8String => Unit
  ): Unit = Using.resource(reader.openRows(slice)) { rows =>
    while (rows.next()) visit(rows.get().getUTF8String(0))
  }
}
