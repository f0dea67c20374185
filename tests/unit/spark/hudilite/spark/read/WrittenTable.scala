package hudilite.spark.read

import java.io.File
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path => LocalPath}
import java.util.{Map => JavaMap, Set => JavaSet}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.{DataType, StringType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.format._
import hudilite.index.BucketIndex
import hudilite.io.Storage
import hudilite.timeline.TimelineFiles
import hudilite.view.{PartitionMetafile, TableSnapshot}

/** A table whose files plain Spark writes and whose commits are put down by hand, so that the read
  * room is tested against the format and not against our own writer.
  */
final class WrittenTable(
    spark: SparkSession,
    val base: LocalPath,
    val schema: StructType,
    keys: Seq[String],
    partitions: Seq[String],
    numBuckets: Int,
    hashed: Seq[String] = Nil
) {
  val config: TableConfig =
    TableConfig.forCreate("t", None, keys, partitions, Nil, "{}", numBuckets, hashed, "u")
  val basePath = new Path(base.toUri)
  val storage: Storage = Storage.of(basePath, spark.sessionState.newHadoopConf())
  storage.createNew(new Path(basePath, ".hoodie/hoodie.properties"), TableConfig.render(config))

  def snapshot: TableSnapshot = TableSnapshot.load(TimelineFiles.of(storage, basePath), config)

  /** Writes one new base file for each bucket and partition of the rows. */
  def write(instant: String, rows: DataFrame, options: Map[String, String] = Map.empty): Unit = {
    val place = placing
    val keyOf = udf((texts: Seq[String]) => place.key(texts))
    val bucketOf = udf((key: String) => place.bucket(key))
    val pathOf = udf((texts: Seq[String]) => place.path(texts))
    def texts(columns: Seq[String]) = array(columns.map(c => col(c).cast("string")): _*)
    val placed = rows
      .withColumn("_k", keyOf(texts(keys)))
      .withColumn("_p", pathOf(texts(partitions)))
      .withColumn("_b", bucketOf(col("_k")))
      .cache()
    placed.select("_p", "_b").distinct().collect().foreach { row =>
      val (partition, number) = (row.getString(0), row.getInt(1))
      val name = BaseFileName(FileId.bucket("u", partition, number, ""), "0-1-0", instant).text
      val meta = Seq(lit(instant), lit(instant + "_0_0"), col("_k"), col("_p"), lit(name))
      val columns = MetaFields.all.zip(meta).map { case (n, c) => c.as(n) } ++
        schema.fieldNames.map(col)
      val part = placed.where(col("_p") === partition && col("_b") === number)
      store(part.select(columns: _*).coalesce(1), partition, name, options)
      PartitionMetafile.write(storage, basePath, partition, instant, partitions.size)
    }
    storage.createNew(
      new Path(basePath, s".hoodie/$instant.commit"),
      """{"partitionToWriteStats":{},"operationType":"UPSERT","extraMetadata":{}}""".getBytes(UTF_8)
    )
    placed.unpersist()
  }

  def placing: WrittenTable.Placing =
    WrittenTable.Placing(keys, partitions, if (hashed.isEmpty) keys else hashed, numBuckets)

  private def store(
      rows: DataFrame,
      partition: String,
      name: String,
      options: Map[String, String]
  ): Unit = {
    val scratch = Files.createTempDirectory("hudilite-read")
    rows.write.options(options).mode("overwrite").parquet(scratch.toString)
    val file = scratch.toFile.listFiles.find(_.getName.endsWith(".parquet")).get
    val folder = new File(base.toFile, partition)
    folder.mkdirs()
    Files.move(file.toPath, folder.toPath.resolve(name))
  }
}

object WrittenTable {

  /** Where a row belongs, by the core rooms alone. */
  final case class Placing(
      keys: Seq[String],
      partitions: Seq[String],
      hashed: Seq[String],
      numBuckets: Int
  ) {
    def key(texts: Seq[String]): String =
      if (keys.size > 1) RecordKey.complex(keys, texts) else texts.head
    def bucket(key: String): Int = BucketIndex.bucketOfKey(key, hashed, numBuckets)
    def path(texts: Seq[String]): String =
      PartitionPath.encode(partitions, texts, hiveStyle = true, urlEncode = true)
  }
}

/** Catalog of [[WrittenTable]]s by name. */
final class WrittenCatalog extends TableCatalog {
  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = ()
  override def name: String = "w"
  override def listTables(namespace: Array[String]): Array[Identifier] = Array.empty
  override def createTable(ident: Identifier, info: TableInfo): Table =
    throw new UnsupportedOperationException
  override def alterTable(ident: Identifier, changes: TableChange*): Table =
    throw new UnsupportedOperationException
  override def dropTable(ident: Identifier): Boolean = false
  override def renameTable(from: Identifier, to: Identifier): Unit = ()
  override def loadTable(ident: Identifier): Table =
    new WrittenCatalog.Readable(WrittenCatalog.tables(ident.name))
}

object WrittenCatalog {
  val tables: scala.collection.mutable.Map[String, WrittenTable] =
    scala.collection.mutable.Map.empty

  final private class Readable(written: WrittenTable)
      extends Table
      with SupportsRead
      with SupportsMetadataColumns {
    private lazy val snapshot = written.snapshot
    override def name: String = "t"
    override def schema: StructType = written.schema
    override def properties: JavaMap[String, String] = Map.empty[String, String].asJava
    override def capabilities: JavaSet[TableCapability] = Set(TableCapability.BATCH_READ).asJava
    override def metadataColumns: Array[MetadataColumn] =
      MetaFields.all.map(n => Meta(n): MetadataColumn).toArray
    override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
      new HudiliteScanBuilder(SparkSession.active, name, written.schema, snapshot, options)
  }

  final private case class Meta(name: String) extends MetadataColumn {
    override def dataType: DataType = StringType
  }
}
