package hudilite.procedures

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.{BooleanType, IntegerType, StructType}

import hudilite.format.TableVersion
import hudilite.service.VersionChange
import hudilite.spark.meta.MetadataRows
import hudilite.spark.plan.WriteSettings

/** Parameters, checks and result of the procedures that change the version of a table. */
private[procedures] object TableVersions {

  /** Columns of the result. */
  val schema: StructType = new StructType()
    .add("from_version", IntegerType, nullable = false)
    .add("to_version", IntegerType, nullable = false)
    .add("instants", IntegerType, nullable = false)
    .add("changed", BooleanType, nullable = false)

  private val names = Map("SIX" -> "6", "EIGHT" -> "8", "NINE" -> "9")
  private val fix = "Write version => 6, 8 or 9."
  private val instead = "Write one of version and to_version."

  /** Returns the parameters. */
  def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.optional("version", "version of Hudi's table format: 6, 8 or 9", IntegerType),
    Procedure.optional("to_version", "the same as stock Hudi names it: SIX, EIGHT or NINE")
  )

  /** Changes the version of the table that the arguments name.
    * @param default version if the arguments name none
    * @param why     returns what is wrong with this procedure for a table of the first version that
    *                would get the second one; None if nothing is
    * Errors: HUDILITE_ARGUMENT_INVALID; those of [[Arguments.writableTable]] and of
    * [[VersionChange.run]]. */
  def change(
      catalog: TableCatalog,
      procedure: String,
      input: InternalRow,
      default: TableVersion
  )(why: (TableVersion, TableVersion) => Option[String]): InternalRow = {
    val arguments = new Arguments(catalog, procedure, input)
    val (argument, version) = asked(arguments, input).getOrElse("version" -> default)
    val table = arguments.writableTable(0, "table")
    why(table.config.version, version)
      .foreach(fix => throw arguments.invalid(argument, version.code, fix))
    table.log.rollback
      .rollBackOlderThan(
        WriteSettings.of(SparkSession.active.sessionState.conf).rollbackMillis
      ): Unit
    val done =
      new VersionChange(table.timeline, table.log, table.config.timelineZone).run(version)
    MetadataRows.row(done.from.code.toInt, done.to.code.toInt, done.instants, done.isChanged)
  }

  /** Returns the argument that names a version, and the version. */
  private def asked(arguments: Arguments, input: InternalRow): Option[(String, TableVersion)] = {
    val number = Option.when(!input.isNullAt(1))(input.getInt(1).toString)
    val name = arguments.textOrNone(2)
    if (number.nonEmpty && name.nonEmpty)
      throw arguments.invalid("to_version", name.mkString, instead)
    def known(argument: String, text: String) = TableVersion.of(text).map(argument -> _)
      .getOrElse(throw arguments.invalid(argument, text, fix))
    number.map(known("version", _)).orElse(name.map { text =>
      val code = names.collectFirst { case (word, code) if word.equalsIgnoreCase(text) => code }
      known("to_version", code.getOrElse(text))
    })
  }
}
