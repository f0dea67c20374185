package hudilite.spark.command

import java.sql.Timestamp

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Row, SparkSession}

import hudilite.format.IndexKind
import hudilite.spark.catalog.TableFacts

/** DESCRIBE DETAIL: one row of facts about a table, with Delta's names of columns. */
final case class DetailCommand(target: CommandTarget) extends LeafRunnableCommand {

  override val output: Seq[Attribute] = DataTypeUtils.toAttributes(DetailCommand.schema)

  override def run(session: SparkSession): Seq[Row] = {
    val table = target.table
    val config = table.config
    val totals = FileTotals.of(table)
    val properties = table.properties.asScala.toMap
    Seq(Row(
      "hudilite",
      config.uuid,
      table.name,
      properties.get(TableCatalog.PROP_COMMENT).orNull,
      table.basePath.toString,
      table.snapshot.lastVersion.flatMap(table.snapshot.completedMillis).map(moment).orNull,
      config.partitionFields,
      config.recordKeyFields,
      totals.files,
      totals.bytes,
      properties.filterNot { case (name, _) => TableFacts.reserved(name) },
      TableFacts.typeOf(config),
      config.version.code.toInt,
      config.index match {
        case IndexKind.Bucket(n, _) => n
        case IndexKind.Bloom => null
      }
    ))
  }

  private def moment(millis: Long): Any =
    if (SQLConf.get.datetimeJava8ApiEnabled) java.time.Instant.ofEpochMilli(millis)
    else new Timestamp(millis)
}

object DetailCommand {

  /** `numFiles` and `sizeInBytes` count the files of the latest snapshot; `lastModified` is the time
    * of completion of the latest commit, NULL if that is archived. */
  private val schema: StructType = new StructType()
    .add("format", StringType, nullable = false)
    .add("id", StringType, nullable = false)
    .add("name", StringType, nullable = false)
    .add("description", StringType)
    .add("location", StringType, nullable = false)
    .add("lastModified", TimestampType)
    .add("partitionColumns", ArrayType(StringType, containsNull = false), nullable = false)
    .add("keyColumns", ArrayType(StringType, containsNull = false), nullable = false)
    .add("numFiles", LongType, nullable = false)
    .add("sizeInBytes", LongType, nullable = false)
    .add("properties", MapType(StringType, StringType), nullable = false)
    .add("tableType", StringType, nullable = false)
    .add("tableVersion", IntegerType, nullable = false)
    .add("numBuckets", IntegerType)
}
