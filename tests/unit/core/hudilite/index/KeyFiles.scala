package hudilite.index

import java.nio.charset.StandardCharsets.US_ASCII
import java.util.Base64

import scala.util.{Random, Using}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.ParquetFileWriter.Mode
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.schema.MessageTypeParser
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.FooterKey
import hudilite.io.NewFile
import hudilite.view.FileSlice

/** Base files with a column of keys and nothing else, as tests of the index need them. */
object KeyFiles {
  val conf = new Configuration(false)
  private val schema = MessageTypeParser.parseMessageType(
    "message t { required int64 n; optional binary _hoodie_record_key (UTF8); }"
  )

  /** Form of the key range and the bloom filter in a file's footer. */
  sealed trait FooterKind
  case object Whole extends FooterKind
  case object WithoutFilter extends FooterKind

  /** A cleared bit that the checksum gives away. */
  case object ClearedBit extends FooterKind

  /** By the name of the time before Apache, without a type code. */
  case object OldName extends FooterKind

  val footerKinds: Seq[FooterKind] = Seq(Whole, WithoutFilter, ClearedBit, OldName)

  def text(key: UTF8String): String = key.toString

  /** Whether a look-up reads keys without Parquet's own reader of columns. */
  def isPlain(footer: ParquetMetadata): Boolean = PlainKeys.areIn(footer)

  /** Those of the keys that a look-up finds in a file. */
  def found(file: FileSlice, keys: Seq[String]): Set[String] = {
    val builder = new SortedKeys.Builder
    keys.map(UTF8String.fromString).distinct.sorted.foreach(builder.add)
    val sought = builder.result()
    val hits = Set.newBuilder[String]
    val lookup = new KeyLookup(IndexedSeq(sought), RangePruning.Auto, conf, new LookupCounts)
    lookup.find(IndexedSeq(file))((_, key, _) => hits += sought(key).toString)
    hits.result()
  }

  /** Writes keys in the order they come in, three rows a page. */
  def write(
      folder: String,
      name: String,
      keys: Seq[String],
      kind: FooterKind,
      rowsPerGroup: Int = 10
  ): FileSlice = {
    val path = new Path(s"$folder/$name.parquet")
    val isSorted = keys == keys.sortBy(UTF8String.fromString(_))
    Using.resource(
      ExampleParquetWriter
        .builder(new NewFile(path, conf))
        .withType(schema)
        .withWriteMode(Mode.CREATE)
        .withPageRowCountLimit(3)
        .withMinRowCountForPageSizeCheck(3)
        .withRowGroupRowCountLimit(rowsPerGroup)
        .withExtraMetaData(footer(keys, kind, isSorted))
        .build()
    ) { writer =>
      val rows = new SimpleGroupFactory(schema)
      keys.zipWithIndex.foreach { case (key, n) =>
        val row = rows.newGroup().append("n", n.toLong)
        writer.write(row.append("_hoodie_record_key", key))
      }
    }
    val length = path.getFileSystem(conf).getFileStatus(path).getLen
    FileSlice.ofBase("", name, "1", path, length)
  }

  private def filled(keys: Seq[String]): BloomFilter = {
    val filter = BloomFilter.create(keys.size.toLong)
    keys.foreach(key => filter.add(key.getBytes("UTF-8")))
    filter
  }

  private def footer(keys: Seq[String], kind: FooterKind, isSorted: Boolean) = {
    val filter = filled(keys)
    val text = filter.serialize()
    val pairs = new java.util.HashMap[String, String]
    if (isSorted) pairs.put(FooterKey.sorted, "record_key"): Unit
    kind match {
      case WithoutFilter => ()
      case OldName => pairs.put(FooterKey.oldBloom, simple(keys)): Unit
      case _ =>
        pairs.put(FooterKey.bloom, if (kind == ClearedBit) cleared(text) else text)
        pairs.put(FooterKey.bloomType, filter.typeCode)
        pairs.put(FooterKey.bloomChecksum, KeyFooter.checksum(text)): Unit
    }
    pairs
  }

  /** The same bits as a SIMPLE filter: the one row of a DYNAMIC one. */
  private def simple(keys: Seq[String]): String = {
    val bytes = Base64.getDecoder.decode(filled(keys).serialize())
    new String(Base64.getEncoder.encode(bytes.drop(25)), US_ASCII)
  }

  private def cleared(text: String): String = {
    val bytes = Base64.getDecoder.decode(text)
    (40 until bytes.length).foreach(i => bytes(i) = 0)
    new String(Base64.getEncoder.encode(bytes), US_ASCII)
  }

  /** Keys in groups: each key in one file at most.
    * @param ordered whether a file holds neighbours */
  def layout(random: Random, files: Int, most: Int, ordered: Boolean): Seq[Seq[String]] = {
    val keys =
      random.shuffle((0 until files * most).toVector).take(random.nextInt(files * most) + 1)
    val named = keys.map(k => f"$k%05d" + Seq("", "é", "\uE000", "😀")(k % 4))
    val cut = if (ordered) named.sortBy(UTF8String.fromString(_)) else named
    val perFile = math.max(1, cut.size / files)
    cut.grouped(perFile).toSeq.map { file =>
      if (random.nextBoolean()) file.sortBy(UTF8String.fromString(_)) else file
    }
  }
}
