package hudilite.format

import java.io.ByteArrayInputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Properties

import org.scalatest.funsuite.AnyFunSuite

import hudilite.OracleFile
import hudilite.OracleFile.texts
import hudilite.error.HudiliteException
import hudilite.format.TableConfig.Key

class TableConfigSuite extends AnyFunSuite {
  private val avro =
    """{"type":"record","name":"t_record","doc":"a = b # é 你\n","fields":[]}"""

  private def create(
      keys: Seq[String] = Seq("id"),
      partitions: Seq[String] = Seq("part"),
      ordering: Seq[String] = Nil,
      index: IndexKind = IndexKind.Bucket(4, Seq("id")),
      database: Option[String] = Some("default")
  ): TableConfig =
    TableConfig.forCreate("q", database, keys, partitions, ordering, avro, index, "u-1")

  private val file = PropertiesFile("/t", "/t/.hoodie/hoodie.properties")

  private def parse(text: String): TableConfig = TableConfig.parse(text.getBytes(UTF_8), file)

  private def refusal(changes: (String, String)*): HudiliteException = {
    val changed = TableConfig(create().properties ++ changes)
    intercept[HudiliteException](TableConfig.parse(TableConfig.render(changed), file))
  }

  private def without(key: String): TableConfig =
    TableConfig.parse(TableConfig.render(TableConfig(create().properties - key)), file)

  test("what is written is read back, by us and by java.util.Properties") {
    val config = create(ordering = Seq("ts"))
    val bytes = TableConfig.render(config)
    assert(TableConfig.parse(bytes, file) == config)
    assert(TableConfig.render(TableConfig.parse(bytes, file)).sameElements(bytes))
    val java = new Properties
    java.load(new ByteArrayInputStream(bytes))
    assert(java.getProperty("hoodie.table.create.schema") == avro)
  }

  test("keys and values of any characters survive the properties form") {
    val odd =
      Map(" a:b=c#!\\" -> "  lead\ttab\nline\r\f é 你 \ud83d\ude00 \\ = : # ! trail  ", "k" -> "")
    assert(PropertiesText.parse(PropertiesText.render(odd), file) == odd)
  }

  test("the checksum is over database, dot and name, and the dot stays without a database") {
    assert(create().properties("hoodie.table.checksum") == "1803313399")
    assert(NewTable.checksum(None, "v6_bk_nomd") == "1404108313")
    assert(refusal("hoodie.table.checksum" -> "1").condition == "HUDILITE_CORRUPT_TIMELINE")
    assert(without("hoodie.table.checksum").name == "q")
  }

  // F40
  test("the own checksum detects any altered fact that places rows, and is in no config") {
    val stored = PropertiesText.parse(TableConfig.render(create()), file)
    def condition(changed: Map[String, String]): String = intercept[HudiliteException](
      TableConfig.parse(PropertiesText.render(changed), file)
    ).condition
    assert(!create().properties.contains(Key.ownChecksum))
    assert(
      !TableConfig.parse(PropertiesText.render(stored), file).properties.contains(Key.ownChecksum)
    )
    Seq(Key.uuid, Key.createSchema, Key.hiveStyle, Key.urlEncode, Key.bucketCount).foreach { key =>
      val value = if (key == Key.bucketCount) "5" else if (key == Key.hiveStyle) "false" else "x"
      assert(condition(stored + (key -> value)) == "HUDILITE_CORRUPT_TIMELINE", key)
      assert(condition(stored - key) == "HUDILITE_CORRUPT_TIMELINE", key)
    }
    assert(condition(stored - Key.ownChecksum) == "HUDILITE_CORRUPT_TIMELINE")
    val ofStock = stored.filterNot { case (key, _) => key.startsWith("hudilite.") }
    assert(!TableConfig.parse(PropertiesText.render(ofStock), file).isIndexDeclared)
    val upgraded = stored + (Key.keyGeneratorClass -> "org.apache.hudi.keygen.SimpleKeyGenerator")
    assert(TableConfig.parse(PropertiesText.render(upgraded), file).name == "q")
  }

  test("a new table carries the facts that stock Hudi writes for the same table") {
    OracleFile.rows("stock_properties.json").foreach { row =>
      val ordering = Option(row.get("ordering")).filterNot(_.isNull).map(_.asText).toSeq
      val stock = parse(row.get("text").asText)
      val ours = TableConfig.forCreate(
        row.get("table").asText,
        Some("default"),
        texts(row.get("keys")),
        texts(row.get("partitions")),
        ordering,
        stock.createSchema.get,
        4,
        Nil,
        "u-1"
      )
      val wanted = stock.properties.filterNot { case (key, _) =>
        TableConfigSuite.freelyChosen(key)
      }
      assert(wanted.toSet.diff(ours.properties.toSet).isEmpty, row.get("table"))
      assert(stock.complexKey == ours.complexKey)
      Option(row.get("recordKey")).filterNot(_.isNull).foreach { key =>
        assert(ours.complexKey == key.asText.contains(':'), row.get("table"))
      }
    }
  }

  test("a table that stock Hudi made is read with what it says") {
    val stock = parse(OracleFile.rows("stock_properties.json").head.get("text").asText)
    assert(stock.name == "k1p1_ts" && stock.database.contains("default"))
    assert(stock.recordKeyFields == Seq("id") && stock.partitionFields == Seq("part"))
    assert(stock.orderingFields == Seq("ts") && stock.hiveStyle && !stock.urlEncode)
    assert(stock.index == IndexKind.Bloom && !stock.isIndexDeclared)
    assert(
      stock.uuid == stock.copy(stock.properties + ("hoodie.table.initial.version" -> "6")).uuid
    )
    assert(stock.uuid.matches("[0-9a-f-]{36}"))
  }

  test("key generator and key text are those that stock infers") {
    def facts(keys: Int, partitions: Int) = {
      val names = Seq("id", "b", "c")
      val config = create(keys = names.take(keys), partitions = Seq("p", "q").take(partitions))
      (config.properties("hoodie.table.keygenerator.type"), config.complexKey)
    }
    assert(facts(1, 0) == "NON_PARTITION" -> false)
    assert(facts(2, 0) == "NON_PARTITION" -> true)
    assert(facts(1, 1) == "SIMPLE" -> false)
    assert(facts(1, 2) == "COMPLEX" -> true)
    assert(facts(2, 1) == "COMPLEX" -> true)
  }

  test("the text of one key column under a foreign complex generator is uncertain until settled") {
    val rows = OracleFile.rows("stock_properties.json")
    val one = rows.find(_.get("table").asText == "k1p2").map(r => parse(r.get("text").asText)).get
    assert(one.complexKey && one.isKeyEncodingUncertain)
    val plain = one.withKeyEncoding(complex = false)
    assert(!plain.complexKey && !plain.isKeyEncodingUncertain)
    assert(!create(partitions = Seq("p", "q")).isKeyEncodingUncertain)
  }

  test("the index is a fact of the table") {
    assert(create().index == IndexKind.Bucket(4, Seq("id")) && create().isIndexDeclared)
    assert(create(index = IndexKind.Bloom).index == IndexKind.Bloom)
    val all = TableConfig.forCreate("q", None, Seq("a", "b"), Nil, Nil, avro, 8, Nil, "u-1")
    assert(all.index == IndexKind.Bucket(8, Seq("a", "b")))
    assert(!all.isGlobalIndex)
  }

  test("a key that is unique over all partitions is looked up in each, unless it contains them") {
    def seeks(keys: Seq[String], partitions: Seq[String]) =
      TableConfig.forCreate("q", None, keys, partitions, Nil, avro, IndexKind.Bloom, "u-1")
        .withGlobalIndex
    assert(seeks(Seq("a"), Seq("p")).seeksEverywhere)
    assert(seeks(Seq("a", "p"), Seq("p", "q")).seeksEverywhere)
    assert(!seeks(Seq("a", "p"), Seq("p")).seeksEverywhere)
    assert(!seeks(Seq("a"), Nil).seeksEverywhere)
    assert(!create(partitions = Seq("p")).seeksEverywhere)
    val stored = TableConfig.render(seeks(Seq("a"), Seq("p")))
    assert(TableConfig.parse(stored, file).isGlobalIndex)
    val odd = create().properties + (TableConfig.Key.indexGlobal -> "maybe")
    val e = intercept[HudiliteException](
      TableConfig.parse(TableConfig.render(TableConfig(odd)), file)
    )
    assert(e.condition == "HUDILITE_CORRUPT_TIMELINE")
  }

  // F40
  test("a missing, empty or malformed file is a corrupt timeline") {
    Seq("", "# only a comment\n", "hoodie.table.name=\\u12\n", "a=b\n").foreach { text =>
      val e = intercept[HudiliteException](parse(text))
      assert(e.condition == "HUDILITE_CORRUPT_TIMELINE", text)
      assert(e.parameters("path") == "/t/.hoodie/hoodie.properties")
    }
    Seq("hoodie.table.name", "hoodie.table.type", "hoodie.timeline.layout.version").foreach { key =>
      val e = intercept[HudiliteException](without(key))
      assert(e.condition == "HUDILITE_CORRUPT_TIMELINE" && e.parameters("reason").contains(key))
    }
  }

  // F36, F89
  test("what hudilite does not do is refused by name with path, value and way out") {
    TableConfigSuite.refused.foreach { case (key, value) =>
      val e = refusal(key -> value)
      assert(e.condition == "HUDILITE_UNSUPPORTED_TABLE", key)
      assert(e.parameters("path") == "/t" && e.parameters("value") == value)
      assert(e.parameters("fact") == key && e.parameters("fix").nonEmpty)
    }
  }

  // F36
  test("a refused version says how stock converts it") {
    def fix(version: String) = refusal("hoodie.table.version" -> version).parameters("fix")
    assert(fix("10").contains("CALL downgrade_table"))
    assert(fix("5").contains("CALL upgrade_table") && fix("7").contains("CALL upgrade_table"))
  }

  private val layout2 = "hoodie.timeline.layout.version" -> "2"

  private def readOnly(changes: (String, String)*): HudiliteException = {
    val config = parsed(changes: _*)
    assert(!config.isWritable)
    val e = intercept[HudiliteException](config.checkWritable("/t"))
    assert(e.condition == "HUDILITE_TABLE_READ_ONLY" && e.parameters("path") == "/t")
    e
  }

  // F43
  test("versions 8 and 9 and tables with a metadata table are written") {
    val metadata =
      Seq("hoodie.table.metadata.partitions", "hoodie.table.metadata.partitions.inflight")
    Seq("6" -> "1", "8" -> "2", "9" -> "2").foreach { case (version, layout) =>
      val found = parsed(
        metadata.map(_ -> "files") ++
          Seq("hoodie.table.version" -> version, "hoodie.timeline.layout.version" -> layout): _*
      )
      assert(found.isWritable && found.hasMetadataTable && found.version.code == version)
      found.checkWritable("/t")
      val detached = ChangedTable.detached(found)
      assert(!detached.hasMetadataTable && metadata.forall(detached.properties(_) == ""))
      assert(detached.properties -- metadata == found.properties -- metadata)
    }
    assert(ChangedTable.detached(create()) == create(), "no key is added")
  }

  private val payload = "hoodie.compaction.payload.class"
  private val mode = "hoodie.record.merge.mode"

  test("rules for merging rows that are not ours, and files of changes, forbid writes") {
    Seq(
      payload -> "org.apache.hudi.common.model.PartialUpdateAvroPayload",
      mode -> "CUSTOM",
      "hoodie.table.partial.update.mode" -> "IGNORE_DEFAULTS",
      "hoodie.record.merge.property.hoodie.payload.delete.field" -> "op",
      "hoodie.table.cdc.enabled" -> "true"
    ).foreach { case (key, value) =>
      val e = readOnly(key -> value)
      assert(e.parameters("fact") == key && e.parameters("value") == value)
      assert(e.parameters("fix").contains("stock Hudi"))
    }
  }

  test(
    "the merge mode, and in version 6 the payload class, decides whether the ordering fields count"
  ) {
    def ordering(changes: (String, String)*) =
      parsed(changes :+ ("hoodie.table.ordering.fields" -> "a,b"): _*).orderingFields
    val byTime = Seq("EVENT_TIME_ORDERING", "event_time_ordering").map(mode -> _) ++
      Seq("DefaultHoodieRecordPayload", "EventTimeAvroPayload").map(payload -> _)
    byTime.foreach(of => assert(ordering(of) == Seq("a", "b"), of))
    val last = "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"
    Seq(mode -> "COMMIT_TIME_ORDERING", payload -> last)
      .foreach(of => assert(ordering(of).isEmpty, of))
    assert(ordering(payload -> last, mode -> "EVENT_TIME_ORDERING") == Seq("a", "b"),
      "the mode decides")
    assert(ordering(payload -> "") == Seq("a", "b"))
    assert(parsed(mode -> "COMMIT_TIME_ORDERING", "hoodie.table.ordering.fields" -> "a")
      .namedOrderingFields == Seq("a"))
  }

  private def parsed(changes: (String, String)*): TableConfig = {
    val changed = TableConfig(create().properties ++ changes)
    TableConfig.parse(TableConfig.render(changed), file)
  }

  test("a new table of version 9 has the properties of stock Hudi 1.1 and later") {
    def create9(ordering: String*) = TableConfig.forCreate("q", None, Seq("a"), Seq("p"),
      ordering, avro, IndexKind.Bloom, "u-1", TableVersion.Nine).properties
    val nine = create9("o")
    Map(
      "hoodie.table.version" -> "9",
      "hoodie.timeline.layout.version" -> "2",
      "hoodie.table.initial.version" -> "9",
      "hoodie.timeline.path" -> "timeline",
      "hoodie.timeline.history.path" -> "history",
      "hoodie.archivelog.folder" -> "history",
      "hoodie.table.ordering.fields" -> "o",
      mode -> "EVENT_TIME_ORDERING"
    ).foreach { case (key, value) => assert(nine.get(key).contains(value), key) }
    Seq(payload, "hoodie.record.merge.strategy.id", "hoodie.table.precombine.field",
      "hoodie.table.keygenerator.class").foreach(key => assert(!nine.contains(key), key))
    assert(create9()(mode) == "COMMIT_TIME_ORDERING")
    assert(TableConfig.parse(TableConfig.render(TableConfig(nine)), file).isWritable)
  }

  test("a table version with the timeline layout of another one is refused") {
    Seq("6" -> "2", "8" -> "1", "9" -> "1", "9" -> "3").foreach { case (version, layout) =>
      val e = refusal(
        "hoodie.table.version" -> version,
        "hoodie.timeline.layout.version" -> layout
      )
      assert(e.parameters("fact") == "hoodie.timeline.layout.version")
      assert(e.parameters("value") == layout)
    }
    val moved = refusal("hoodie.table.version" -> "9", layout2, "hoodie.timeline.path" -> "other")
    assert(moved.parameters("fact") == "hoodie.timeline.path")
  }

  private val generatorType = "hoodie.table.keygenerator.type"
  private val partitionFields = "hoodie.table.partition.fields"

  // F89
  test("a table whose rules of writing are not known is read and not written") {
    TableConfigSuite.readOnly.foreach { case (key, value) =>
      val e = readOnly(key -> value)
      assert(e.parameters("fact") == key && e.parameters("value") == value)
      assert(e.parameters("fix").contains("CREATE TABLE"), key)
    }
    val timestamp = "org.apache.hudi.keygen.TimestampBasedKeyGenerator"
    Seq(
      Seq(generatorType -> "TIMESTAMP"),
      Seq(generatorType -> "", "hoodie.table.keygenerator.class" -> timestamp)
    ).foreach(changes =>
      assert(readOnly(changes: _*).parameters("fact") == DateFolderFacts.kind, changes)
    )
    Seq(
      Seq(generatorType -> "USER_PROVIDED"),
      Seq(generatorType -> "", "hoodie.table.keygenerator.class" -> "com.acme.ByRegion"),
      Seq(partitionFields -> "a,b"),
      Seq(partitionFields -> ""),
      Seq(generatorType -> "NON_PARTITION"),
      Seq(partitionFields -> "part:SIMPLE"),
      Seq(generatorType -> "CUSTOM"),
      Seq(generatorType -> "CUSTOM", partitionFields -> "part:SIMPLE,ts:HASHED")
    ).foreach(changes =>
      assert(readOnly(changes: _*).parameters("fact") == "key generator", changes)
    )
    val bloom = Key.index -> Key.indexBloom
    val isGlobal = Key.indexGlobal -> "true"
    assert(readOnly(bloom, partitionFields -> "a.b").parameters("fact") == "partition column")
    Seq(Seq(bloom, Key.recordKeyFields -> "a.b", isGlobal),
      Seq(bloom, Key.recordKeyFields -> "a..b"))
      .foreach(changes => assert(readOnly(changes: _*).parameters("fact") == "key column", changes))
    Seq("a.b", "id,a.b.c", "").foreach(keys =>
      assert(parsed(bloom, Key.recordKeyFields -> keys, generatorType -> "COMPLEX").isWritable,
        keys)
    )
    val ordered = create(ordering = Seq("ts")).properties ++ Seq(Key.orderingFields -> "ts,s.b")
    val e = intercept[HudiliteException](TableConfig(ordered).checkWritable("/t"))
    assert(e.parameters("fact") == "ordering field" && e.parameters("value") == "s.b")
    val two = ordered + (Key.orderingFields -> "ts,n")
    assert(TableConfig(two).isWritable && TableConfig(two).orderingFields == Seq("ts", "n"))
  }

  test("a custom key generator whose columns are all simple is written like a complex one") {
    val custom = create().properties ++
      Map(generatorType -> "CUSTOM", partitionFields -> "part:simple, q : SIMPLE")
    val config = TableConfig(custom)
    assert(config.isWritable && config.partitionFields == Seq("part", "q"))
    assert(config.partitionFields.forall(config.holdsValue) && !config.complexKey)
    val dated = TableConfig(custom + (partitionFields -> "part:SIMPLE,q:TIMESTAMP"))
    assert(dated.partitionFields == Seq("part", "q"))
    assert(dated.holdsValue("part") && !dated.holdsValue("q"))
  }

  test("folders have the text of a column's value, except under rules of other texts") {
    assert(create().holdsValue("part") && create().isGeneratorKnown)
    def changed(key: String, value: String) = TableConfig(create().properties + (key -> value))
    assert(!changed(generatorType, "TIMESTAMP").holdsValue("part"))
    assert(!changed(Key.slashSeparatedDates, "true").holdsValue("part"))
    val unknown = changed(generatorType, "USER_PROVIDED")
    assert(!unknown.holdsValue("part") && !unknown.isGeneratorKnown)
    val ofStock = TableConfig(unknown.properties - Key.keyEncoding)
    assert(!ofStock.complexKey && ofStock.isKeyEncodingUncertain)
  }

  test("the ordering fields are those of the newer property, else of the older one") {
    def fields(changes: (String, String)*) =
      TableConfig(create().properties ++ changes).namedOrderingFields
    assert(fields(Key.preCombineField -> "a, b") == Seq("a", "b"))
    assert(fields(Key.preCombineField -> "a", Key.orderingFields -> "c") == Seq("c"))
    assert(fields(Key.preCombineField -> "a", Key.orderingFields -> "") == Seq("a"))
    assert(fields().isEmpty)
  }

  test("rows without meta columns do not tell which commit changed them") {
    create().checkTellsChanges("/t")
    val without = TableConfig(create().properties + (Key.metaFields -> "false"))
    val e = intercept[HudiliteException](without.checkTellsChanges("/t"))
    assert(e.condition == "HUDILITE_UNSUPPORTED_TABLE" && e.parameters("fact") == Key.metaFields)
  }

  // F87
  test("bucket facts that cannot be are a corrupt timeline") {
    Seq(
      "hudilite.bucket.count" -> "0",
      "hudilite.bucket.count" -> "100001",
      "hudilite.bucket.count" -> "x",
      "hudilite.bucket.fields" -> "",
      "hudilite.bucket.fields" -> "part",
      "hudilite.key.encoding" -> "JSON",
      "hudilite.index" -> "HASH"
    ).foreach(change => assert(refusal(change).condition == "HUDILITE_CORRUPT_TIMELINE", change))
  }

  test("adoption adds what was learned, and a uuid that stays with another name") {
    val stock = TableConfig(create().properties.filterNot(_._1.startsWith("hudilite.")))
    val adopted = ChangedTable.adopted(stock, IndexKind.Bucket(4, Seq("id")), complexKey = false)
    assert(adopted.index == IndexKind.Bucket(4, Seq("id")) && adopted.isIndexDeclared)
    assert(adopted.uuid == stock.uuid && !adopted.complexKey)
    assert(stock.properties.forall(adopted.properties.toSeq.contains))
    val renamed = ChangedTable.renamed(adopted, "other", None)
    assert(renamed.uuid == stock.uuid && renamed.name == "other" && renamed.database.isEmpty)
    assert(TableConfig.parse(TableConfig.render(renamed), file) == renamed)
    val old = TableConfig.render(renamed.copy(renamed.properties + (Key.name -> "q")))
    assert(intercept[HudiliteException](TableConfig.parse(old, file)).condition ==
      "HUDILITE_CORRUPT_TIMELINE")
  }
}

object TableConfigSuite {

  /** Keys in which hudilite chooses another value than stock, or which version 6 ignores. */
  val freelyChosen: Set[String] = Set(
    "hoodie.datasource.write.partitionpath.urlencode",
    "hoodie.timeline.path",
    "hoodie.timeline.history.path"
  )

  val refused: Seq[(String, String)] = Seq(
    "hoodie.table.version" -> "10",
    "hoodie.table.version" -> "7",
    "hoodie.table.version" -> "5",
    "hoodie.timeline.layout.version" -> "2",
    "hoodie.table.type" -> "COPY_ON_READ",
    "hoodie.table.base.file.format" -> "ORC",
    "hoodie.table.multiple.base.file.formats.enable" -> "true",
    "hoodie.table.base.file.format" -> "LANCE",
    "hoodie.table.format" -> "iceberg"
  )

  val readOnly: Seq[(String, String)] = Seq(
    "hoodie.populate.meta.fields" -> "false",
    "hoodie.datasource.write.slash.separated.date.partitioning" -> "true",
    "hoodie.table.cdc.enabled" -> "true",
    "hoodie.table.partial.update.mode" -> "IGNORE_DEFAULTS",
    "hoodie.compaction.payload.class" -> "org.apache.hudi.common.model.PartialUpdateAvroPayload"
  )
}
