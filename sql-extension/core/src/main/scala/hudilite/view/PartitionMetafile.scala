package hudilite.view

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.{MessageType, Types}

import hudilite.format.TableConfig
import hudilite.io.{MemoryFile, Storage}

/** The file `.hoodie_partition_metadata` of a partition's folder. Without it stock Hudi does not
  * see the partition. It is written once and never changes. In some tables it is a Parquet file without
  * rows, which contains the same in its footer.
  * Source: hudi-format §4.3. */
object PartitionMetafile {
  val fileName = ".hoodie_partition_metadata"

  private val parquetName = s"$fileName.parquet"

  private val column: MessageType =
    Types.buildMessage().optional(PrimitiveTypeName.INT64).named("dummyint").named("dummy")

  /** Writes the metafile if it is absent. Must run before the commit.
    * @param partition relative partition path, "" when the table has none
    * @param instant   commit that creates the partition
    * @param depth     number of levels of the path
    * @param asParquet whether the table has metafiles in the format of its base files */
  def write(
      storage: Storage,
      basePath: Path,
      partition: String,
      instant: String,
      depth: Int,
      asParquet: Boolean = false
  ): Unit = {
    val entries = Seq("commitTime" -> instant, "partitionDepth" -> depth.toString)
    val (name, bytes) =
      if (asParquet) (parquetName, parquet(entries)) else (fileName, text(entries))
    storage.createNew(path(basePath, partition, name), bytes): Unit
  }

  /** Whether a name is that of a metafile. */
  def isName(name: String): Boolean = name == fileName || name == parquetName

  /** Whether a folder is a partition, which means that it has a metafile. */
  def exists(storage: Storage, basePath: Path, partition: String, config: TableConfig): Boolean =
    storage.exists(path(basePath, partition)) || config.hasParquetMetafiles &&
      storage.exists(path(basePath, partition, parquetName))

  private def text(entries: Seq[(String, String)]): Array[Byte] =
    entries.map { case (key, value) => s"$key=$value\n" }.mkString("#partition metadata\n", "", "")
      .getBytes(UTF_8)

  /** Returns a Parquet file whose footer has the entries. Stock Hudi ignores its only column. */
  private def parquet(entries: Seq[(String, String)]): Array[Byte] = {
    val out = new ByteArrayOutputStream
    ExampleParquetWriter.builder(new MemoryFile(out))
      .withType(column)
      .withExtraMetaData(entries.toMap.asJava)
      .build()
      .close()
    out.toByteArray
  }

  private def path(basePath: Path, partition: String, name: String = fileName): Path =
    Storage.resolve(Storage.resolve(basePath, partition), name)
}
