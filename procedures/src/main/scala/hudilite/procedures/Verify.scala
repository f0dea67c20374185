package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.verify.{CheckLevel, TableFindings}
import hudilite.verify.Finding

/** Procedure `CALL verify(table => 'db.t', level => 'files')`. Returns the faults of a table, one
  * row per fault, the worst first, and no row for a table without faults. It reads and never
  * writes.
  *
  * Errors: those of [[TableLocation]] and [[Arguments]]. Damage of the table is never an error, but
  * a row.
  * Source: issue 5, faults F34-F54. */
final class Verify(catalog: TableCatalog) extends Procedure {

  override def name: String = "verify"
  override def purpose: String =
    "Checks a table and lists its faults: timeline (meta), also files (files), also rows (rows)."
  override def example: String = "CALL verify(table => 'db.t', level => 'rows')"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.needed("table", "name or path of the table"),
    Procedure.optional("level", "meta, files or rows; each level includes the ones before it",
      value = s"'${CheckLevel.Files.name}'")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val level = CheckLevel.named(arguments.choice(1, "level", CheckLevel.all.map(_.name)))
    val basePath = new TableLocation(arguments).of(0, "table")
    val findings = TableFindings.of(SparkSession.active, basePath, level)
    Result.of(Verify.schema, findings.map(Verify.row))
  }
}

object Verify {
  private val schema: StructType = new StructType()
    .add("severity", StringType, nullable = false)
    .add("code", StringType, nullable = false)
    .add("path", StringType, nullable = false)
    .add("detail", StringType, nullable = false)
    .add("sample_key", StringType)

  private def row(finding: Finding): InternalRow = InternalRow(
    text(finding.severity),
    text(finding.code),
    text(finding.path),
    text(finding.detail),
    finding.sampleKey.map(text).orNull
  )

  private def text(value: String): UTF8String = UTF8String.fromString(value)
}
