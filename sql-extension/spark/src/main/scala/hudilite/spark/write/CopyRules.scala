package hudilite.spark.write

import scala.jdk.CollectionConverters._

import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType
import org.apache.parquet.hadoop.metadata.{FileMetaData, ParquetMetadata}
import org.apache.parquet.schema.{GroupType, MessageType, PrimitiveType, Type}

import hudilite.spark.read.{FileCalendar, FileWriter}

/** Reason why bytes of an old base file are not copied into a new one.
  * @param word one word for messages and metrics */
sealed abstract class NoCopy(val word: String)

object NoCopy {

  /** One of the files is encrypted: its bytes depend on its own key and on their position in it. */
  case object Encryption extends NoCopy("encryption")

  /** The old file comes from another writer than parquet-java, or from a release so old that its
    * statistics may be wrong, or its dates have another calendar. The new footer states its own
    * writer and calendar, so readers would trust the copied bytes. */
  case object Writer extends NoCopy("writer")

  /** The old file lacks a column or has it with another type. */
  case object Schema extends NoCopy("schema")

  /** The old file has many more row groups than its rows need. */
  case object Fragments extends NoCopy("fragments")

  /** Rows of the old file are not in the order of their keys. */
  case object Unsorted extends NoCopy("unsorted")

  /** Rows of the old file are stored in a skeleton file and a bootstrap source file. */
  case object Adopted extends NoCopy("adopted")

  /** Rows of the old file slice are stored in log files, too. */
  case object Logs extends NoCopy("logs")

  /** A session setting disables copying. */
  case object Setting extends NoCopy("setting")

  val all: Seq[NoCopy] =
    Seq(Encryption, Writer, Schema, Fragments, Unsorted, Adopted, Logs, Setting)
}

/** Decides which column chunks of an old file may be copied as bytes into a new one. */
object CopyRules {

  /** Whether whole row groups may be copied; Left: why not.
    * @param schema schema of the new file */
  def canCopy(old: ParquetMetadata, schema: MessageType): Either[NoCopy, Unit] =
    schema.getFields.asScala.map(canCopy(old, _)).find(_.isLeft).getOrElse(ofFile(old))

  /** Whether chunks of a column may be copied; Left: why not.
    * @param column column of the new file */
  def canCopy(old: ParquetMetadata, column: Type): Either[NoCopy, Unit] =
    ofFile(old).flatMap { _ =>
      val columns = old.getFileMetaData.getSchema.getFields.asScala
      Either.cond(columns.exists(isSame(_, column)), (), NoCopy.Schema)
    }

  private def ofFile(old: ParquetMetadata): Either[NoCopy, Unit] =
    if (isEncrypted(old)) Left(NoCopy.Encryption)
    else Either.cond(isKnown(old.getFileMetaData), (), NoCopy.Writer)

  private def isEncrypted(old: ParquetMetadata): Boolean =
    Option(old.getFileMetaData.getEncryptionType).exists(_ != EncryptionType.UNENCRYPTED) ||
      old.getBlocks.asScala.exists(_.getColumns.asScala.exists(_.isEncrypted))

  private def isKnown(of: FileMetaData): Boolean =
    FileCalendar.isOurs(of) && FileWriter.isTrusted(of)

  /** Whether two columns have the same name and type. Their field ids may differ, because no reader
    * of a Hudi table uses these. */
  private def isSame(a: Type, b: Type): Boolean =
    a.getName == b.getName && a.getRepetition == b.getRepetition &&
      a.getLogicalTypeAnnotation == b.getLogicalTypeAnnotation &&
      ((a, b) match {
        case (a: PrimitiveType, b: PrimitiveType) =>
          a.getPrimitiveTypeName == b.getPrimitiveTypeName && a.getTypeLength == b.getTypeLength
        case (a: GroupType, b: GroupType) =>
          a.getFieldCount == b.getFieldCount &&
          a.getFields.asScala.zip(b.getFields.asScala).forall { case (a, b) => isSame(a, b) }
        case _ => false
      })
}
