package hudilite.procedures

import scala.collection.immutable.ListMap

import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.types.{BooleanType, IntegerType, StructType}

import hudilite.procedures.StockArgument._
import hudilite.procedures.StockProcedure.{Answer, Call}
import hudilite.spark.meta.MetadataRows

/** Procedure `run_bootstrap` of stock Hudi: [[Bootstrap]] under its name and with its arguments. Of the
  * classes that stock Hudi loads, those count whose work hudilite does. */
private[procedures] object StockBootstrap {

  def of(catalog: TableCatalog): Procedure = new StockProcedure(
    catalog,
    "run_bootstrap",
    "Creates a table over existing Parquet files, as bootstrap does.",
    "CALL run_bootstrap(table => 'db.t', table_type => 'COPY_ON_WRITE', " +
      "bootstrap_path => '/data/events', base_path => '/data/table', rowKey_field => 'id')",
    Seq(
      needed("table", "name of the new table"),
      needed("table_type", s"${types.keys.mkString(" or ")}"),
      needed("bootstrap_path", "folder with Parquet files"),
      needed("base_path", "folder of the new table"),
      needed("rowKey_field", "key columns, separated by commas"),
      optional("base_file_format", "PARQUET", value = "'PARQUET'"),
      optional("partition_path_field", "partition columns; by default those of the source",
        value = "''"),
      refused("bootstrap_index_class", own,
        value =
          "'org.apache.hudi.common.bootstrap.index.hfile.HFileBootstrapIndex'"),
      optional("selector_class", s"class ${modes.keys.mkString(" or ")}",
        value = s"'org.apache.hudi.client.bootstrap.selector.${modes.keys.head}'"),
      optional("key_generator_class", s"class ${generators.mkString(" or ")}",
        value = s"'org.apache.hudi.keygen.${generators.head}'"),
      refused("full_bootstrap_input_provider", own,
        value =
          "'org.apache.hudi.bootstrap.SparkParquetBootstrapDataProvider'"),
      refused("schema_provider_class", own, value = "''"),
      refused("payload_class", own,
        value =
          "'org.apache.hudi.common.model.OverwriteWithLatestAvroPayload'"),
      optional("parallelism",
        s"maximum number of parallel tasks; $stockTasks means that of the session",
        IntegerType, stockTasks.toString),
      refused("enable_hive_sync", "Leave it out, and run CALL hive_sync afterwards.", BooleanType,
        "false"),
      refused("props_file_path", own, value = "''"),
      refused("bootstrap_overwrite", "Leave it out, and drop the old table first.", BooleanType,
        "false"),
      refused("options", "Write the arguments of CALL bootstrap instead.")
    )
  )(run)

  private def own = "hudilite has its own: leave it out."

  /** Default of stock Hudi's parallelism. */
  private def stockTasks = 1500

  private def types = Seq("COPY_ON_WRITE" -> "cow", "MERGE_ON_READ" -> "mor").to(ListMap)

  private def modes = Seq(
    "MetadataOnlyBootstrapModeSelector" -> "metadata",
    "FullRecordBootstrapModeSelector" -> "full"
  ).to(ListMap)

  private def generators = Seq("SimpleKeyGenerator", "ComplexKeyGenerator")

  private def run(call: Call): Answer = {
    def choice(argument: String, known: Seq[String]) = {
      val text = call.text(argument).getOrElse("")
      val word = text.split('.').lastOption.getOrElse("")
      known.find(_.equalsIgnoreCase(word)).getOrElse(
        throw call.arguments.invalid(argument, text, s"Write ${known.mkString(" or ")}.")
      )
    }
    choice("base_file_format", Seq("PARQUET")): Unit
    choice("key_generator_class", generators): Unit
    def required(argument: String) = call.text(argument).getOrElse(
      throw call.arguments.invalid(argument, "", "Write a value.")
    )
    val values = Seq[(String, Any)](
      "table" -> required("table"),
      "source" -> folder(required("bootstrap_path")),
      "key" -> required("rowKey_field"),
      "location" -> required("base_path"),
      "type" -> types(choice("table_type", types.keys.toSeq)),
      "mode" -> modes(choice("selector_class", modes.keys.toSeq))
    ) ++ call.text("partition_path_field").map("partitioned_by" -> _) ++
      call.number("parallelism").filter(_ != stockTasks).map("parallelism" -> _)
    call.run(new Bootstrap(call.catalog), values: _*): Unit
    Answer(new StructType().add("status", IntegerType), Seq(MetadataRows.row(0)))
  }

  /** Returns a text that means a folder, and not a table. */
  private def folder(path: String) = if (path.contains("/")) path else s"./$path"
}
