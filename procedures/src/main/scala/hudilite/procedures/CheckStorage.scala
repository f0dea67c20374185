package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{LongType, StringType, StructType}

import hudilite.io.{CheckedStep, LocationCheck}
import hudilite.spark.catalog.StoreSettings
import hudilite.spark.meta.MetadataRows

/** Procedure `CALL check_storage(location => 's3a://bucket/path')`. Checks whether tables can be
  * written to a location, which may exist or not, and returns one row for each step of
  * [[LocationCheck]]. The driver makes all requests. The check deletes the files that it has
  * created.
  *
  * Errors: HUDILITE_ARGUMENT_INVALID for a location that is no path, or that contains keys. A fault
  * of the storage is never an error, but a row. */
final class CheckStorage(catalog: TableCatalog) extends Procedure {

  override def name: String = "check_storage"
  override def purpose: String =
    "Checks whether tables can be written to a location, by any number of writers."
  override def example: String = "CALL check_storage(location => 's3a://bucket/path')"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.needed("location", "folder for tables, which exists or not")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val session = SparkSession.active
    val location = folder(new Arguments(catalog, name, input))
    StoreSettings.warn(session, location)
    val conf = session.sessionState.newHadoopConf()
    val steps = new LocationCheck(location, conf, () => System.nanoTime()).results()
    Result.of(CheckStorage.schema, steps.map(CheckStorage.row))
  }

  private def folder(arguments: Arguments): Path = {
    val text = arguments.text(0, "location", CheckStorage.fix).trim
    def refused(value: String, fix: String) = arguments.invalid("location", value, fix)
    if (text.isEmpty || text.length > TableLocation.longest)
      throw refused(text, CheckStorage.fix)
    if (CheckStorage.hasKeys(text))
      throw refused(
        s"${text.takeWhile(_ != ':')}://...",
        "Remove the keys from the location, and set them when Spark starts."
      )
    try new Path(text)
    catch {
      case e: IllegalArgumentException =>
        throw refused(text, s"It is not a path (${e.getMessage}). ${CheckStorage.fix}")
    }
  }
}

object CheckStorage {
  private val fix = "Write a folder, for example 's3a://bucket/path'."

  /** Host, [IP address] or container@account, each with a port or without. */
  private val harmless = "(\\[[^\\]@]*\\]|[^:]*)(:[0-9]*)?"

  private val schema: StructType = new StructType()
    .add("step", StringType, nullable = false)
    .add("outcome", StringType, nullable = false)
    .add("milliseconds", LongType)
    .add("detail", StringType, nullable = false)

  private def row(step: CheckedStep): InternalRow =
    MetadataRows.row(step.name, step.outcome, step.millis, step.detail)

  /** Whether a location contains a password, as `s3a://key:secret@bucket` does. */
  private def hasKeys(location: String): Boolean = {
    val authority = location.split("://", 2).drop(1).map(_.takeWhile(_ != '/'))
    authority.exists(!_.matches(harmless))
  }
}
