package hudilite.index

import java.io.{ByteArrayInputStream, IOException}
import java.util.{Collections, List => JavaList}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.parquet.format.Util.FileMetaDataConsumer
import org.apache.parquet.format._
import org.apache.parquet.format.converter.ParquetMetadataConverter
import org.apache.parquet.hadoop.metadata.ParquetMetadata

import hudilite.format.MetaFields

/** Facts about the record keys in the bytes of a footer, or in the front part of a footer.
  *
  * Row groups come before the key-value pairs, and the bloom filter among these pairs makes up most
  * of a footer. Only the column of the record keys is converted. Source: performance §4.3.
  * @param columns None if the bytes end before the last row group ends
  * @param pairs   None if the bytes end before the last pair ends */
private[index] final case class FooterBytes(
    columns: Option[ParquetMetadata],
    pairs: Option[Map[String, String]]
)

private[index] object FooterBytes {

  def parse(bytes: Array[Byte]): FooterBytes = {
    val keys = new KeysOnly
    val isWhole =
      try {
        Util.readFileMetaData(new ByteArrayInputStream(bytes), keys)
        true
      } catch { case _: IOException => false }
    FooterBytes(keys.columns, Option.when(isWhole)(keys.pairs.toMap))
  }

  private final class KeysOnly extends FileMetaDataConsumer {
    private val found = new FileMetaData
    private val groups = mutable.ArrayBuffer.empty[RowGroup]
    val pairs: mutable.Map[String, String] = mutable.Map.empty

    def columns: Option[ParquetMetadata] = {
      val isWhole = found.isSetSchema && groups.forall(_.getColumnsSize == 1) &&
        groups.map(_.getNum_rows).sum == found.getNum_rows
      Option.when(isWhole) {
        new ParquetMetadataConverter().fromParquetMetadata(found.setRow_groups(groups.asJava))
      }
    }

    override def setSchema(schema: JavaList[SchemaElement]): Unit =
      schema.asScala.find(e => e.getName == MetaFields.RecordKey && !e.isSetNum_children)
        .foreach { key =>
          val root = schema.get(0).setNum_children(1)
          found.setSchema(Seq(root, key).asJava): Unit
        }

    override def addRowGroup(group: RowGroup): Unit = {
      val path = Collections.singletonList(MetaFields.RecordKey)
      val key = group.getColumns.asScala.filter(_.getMeta_data.getPath_in_schema == path)
      groups += group.setColumns(key.asJava): Unit
    }

    override def addKeyValueMetaData(pair: KeyValue): Unit =
      pairs(pair.getKey) = String.valueOf(pair.getValue)

    override def setVersion(version: Int): Unit = found.setVersion(version): Unit
    override def setNumRows(rows: Long): Unit = found.setNum_rows(rows): Unit
    override def setCreatedBy(by: String): Unit = found.setCreated_by(by): Unit
    override def setEncryptionAlgorithm(by: EncryptionAlgorithm): Unit = ()
    override def setFooterSigningKeyMetadata(key: Array[Byte]): Unit = ()
  }
}
