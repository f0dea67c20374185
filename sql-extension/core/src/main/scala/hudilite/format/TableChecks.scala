package hudilite.format

import java.util.Locale

import scala.util.Try

import hudilite.error.HudiliteException
import hudilite.format.TableConfig.Key

/** Requirements of hudilite for opening a table. Source: design D2, hudi-format §2.4, §11.26,
  * §12.4. */
private[format] object TableChecks {

  /** Property that must have one particular value.
    * @param default value that applies if the property is absent; None if it is required
    * @param fix     what the user can do about another value */
  private final case class Fact(key: String, wanted: String, default: Option[String], fix: String)

  /** Remedy for a table that uses what hudilite does not support: a copy of its rows. */
  val newTable: String =
    "Export the rows with stock Hudi, for example to Parquet files, and insert them into a table " +
      "that was created with USING hudilite."

  private val downgrade =
    "Convert it to version 6 with stock Hudi 1.x: CALL downgrade_table(table => '...', " +
      "to_version => 'SIX'), then CALL delete_metadata_table(table => '...')."

  private val upgrade =
    "Convert it to version 6 with stock Hudi 1.x: CALL upgrade_table(table => '...', " +
      "to_version => 'SIX'), then CALL delete_metadata_table(table => '...')."

  private val finishUpgrade =
    "Stock Hudi was interrupted while it upgraded the table. Let it finish: CALL " +
      "upgrade_table(table => '...', to_version => 'NINE')."

  private val timelineLayout =
    "The table version and the timeline layout do not match. Restore the properties file from a copy."

  private val types = Seq(Key.copyOnWrite, Key.mergeOnRead)

  private val facts = Vector(
    Fact("hoodie.table.base.file.format", "PARQUET", Some("PARQUET"), newTable),
    Fact("hoodie.table.multiple.base.file.formats.enable", "false", Some("false"), newTable),
    Fact("hoodie.table.format", "native", Some("native"), newTable)
  )

  /** Properties that are checked only for tables of timeline layout 2. */
  private val timelineFacts = Vector(
    Fact(
      Key.timelinePath,
      TableVersion.timelineFolder,
      Some(TableVersion.timelineFolder),
      newTable
    )
  )

  /** Properties that are checked only for bootstrapped tables. */
  private val bootstrapFacts = Vector(
    Fact("hoodie.bootstrap.index.enable", "true", Some("true"), newTable),
    Fact("hoodie.bootstrap.index.type", "HFILE", Some("HFILE"), newTable),
    Fact(Key.metaFields, "true", Some("true"), newTable)
  )

  /** Checks the properties of a table.
    * Errors: HUDILITE_CORRUPT_TIMELINE, HUDILITE_UNSUPPORTED_TABLE. */
  def check(config: TableConfig, file: PropertiesFile): Unit = new TableChecks(config, file).run()
}

private[format] final class TableChecks(config: TableConfig, file: PropertiesFile) {
  import TableChecks._

  def run(): Unit = {
    if (text(Key.name).isEmpty) throw corrupt(s"it lacks ${Key.name}")
    checkType()
    checkChecksum()
    checkVersion()
    facts.foreach(check)
    if (config.version != TableVersion.Six) timelineFacts.foreach(check)
    if (config.isBootstrapped) bootstrapFacts.foreach(check)
    checkKeyEncoding()
    checkIndex()
    checkStockLock()
  }

  private def checkChecksum(): Unit = {
    val expected = NewTable.checksum(config.database, config.name)
    text(Key.checksum).filter(_ != expected).foreach { found =>
      throw corrupt(s"its ${Key.checksum} is $found, but its table name gives $expected")
    }
  }

  /** Checks the table version. A table without this property was created before the property
    * existed. */
  private def checkVersion(): Unit = {
    val stated = text(Key.version).getOrElse("0")
    val version =
      TableVersion.of(stated).getOrElse(throw unsupported(Key.version, stated, wayOut(stated)))
    val layout = text(Key.layout).getOrElse(throw corrupt(s"it lacks ${Key.layout}"))
    if (layout != version.timelineLayout) throw unsupported(Key.layout, layout, timelineLayout)
  }

  private def wayOut(version: String): String = version.toIntOption match {
    case Some(7) => finishUpgrade
    case Some(older) if older < 7 => upgrade
    case _ => downgrade
  }

  private def check(fact: Fact): Unit = {
    val found = text(fact.key).orElse(fact.default)
    found match {
      case None => throw corrupt(s"it lacks ${fact.key}")
      case Some(value) if !value.equalsIgnoreCase(fact.wanted) =>
        throw unsupported(fact.key, value, fact.fix)
      case Some(_) => ()
    }
  }

  private def checkType(): Unit = text(Key.tableType) match {
    case None => throw corrupt(s"it lacks ${Key.tableType}")
    case Some(kind) if !types.exists(_.equalsIgnoreCase(kind)) =>
      throw unsupported(Key.tableType, kind, newTable)
    case Some(_) => ()
  }

  private def checkIndex(): Unit = {
    text(Key.index) match {
      case Some(Key.indexBucket) => checkBuckets()
      case Some(Key.indexBloom) | None => ()
      case Some(other) => throw corrupt(s"its ${Key.index} is $other")
    }
    text(Key.indexGlobal)
      .filterNot(value => Set("true", "false").contains(value.toLowerCase(Locale.ROOT)))
      .foreach(other => throw corrupt(s"its ${Key.indexGlobal} is $other"))
  }

  private def checkKeyEncoding(): Unit =
    text(Key.keyEncoding)
      .filterNot(Set(Key.complexEncoding, Key.plainEncoding))
      .foreach(other => throw corrupt(s"its ${Key.keyEncoding} is $other"))

  private def checkStockLock(): Unit =
    text(Key.stockLock)
      .filter(_ != Key.stockLockStorage)
      .foreach(other => throw corrupt(s"its ${Key.stockLock} is $other"))

  private def checkBuckets(): Unit = {
    val count = text(Key.bucketCount).flatMap(t => Try(t.toInt).toOption)
    if (!count.exists(n => n >= 1 && n <= IndexKind.maxBuckets))
      throw corrupt(s"its ${Key.bucketCount} is not a number from 1 to ${IndexKind.maxBuckets}")
    val fields = TableConfig.splitFields(config.properties.getOrElse(Key.bucketFields, ""))
    if (fields.isEmpty || !fields.forall(config.recordKeyFields.contains))
      throw corrupt(s"its ${Key.bucketFields} are not key columns")
  }

  private def text(key: String): Option[String] =
    config.properties.get(key).map(_.trim).filter(_.nonEmpty)

  private def corrupt(reason: String): HudiliteException = file.corrupt(reason)

  private def unsupported(fact: String, value: String, fix: String): HudiliteException =
    HudiliteException(
      "HUDILITE_UNSUPPORTED_TABLE",
      "path" -> file.basePath,
      "fact" -> fact,
      "value" -> value,
      "fix" -> fix
    )
}
