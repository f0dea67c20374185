package hudilite.spark.write

import scala.jdk.CollectionConverters._

import org.apache.parquet.VersionParser
import org.apache.parquet.VersionParser.VersionParseException
import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType
import org.apache.parquet.hadoop.metadata.{FileMetaData, ParquetMetadata}
import org.apache.parquet.schema.{GroupType, MessageType, PrimitiveType, Type}

import hudilite.spark.read.FileCalendar

/** Why bytes of an old file may not stand in a new one.
  * @param word one word for messages and metrics */
sealed abstract class NoCopy(val word: String)

object NoCopy {

  /** It is encrypted: under a key of its own, at its own place. */
  case object Encryption extends NoCopy("encryption")

  /** Another writer, or one so old that its statistics may lie or its dates are of another calendar: the
    * new footer would vouch for it. */
  case object Writer extends NoCopy("writer")

  /** The old file has no such column, or one of another type. */
  case object Schema extends NoCopy("schema")

  /** It has many more row groups than it needs. */
  case object Fragments extends NoCopy("fragments")

  /** Its rows do not stand in the order of their keys. */
  case object Unsorted extends NoCopy("unsorted")

  /** Its rows lie in two files. */
  case object Adopted extends NoCopy("adopted")

  /** The session does not want it. */
  case object Setting extends NoCopy("setting")

  val all: Seq[NoCopy] =
    Seq(Encryption, Writer, Schema, Fragments, Unsorted, Adopted, Setting)
}

/** Which column chunks of an old file may be copied as bytes. */
object CopyRules {
  private val writer = "parquet-mr"
  private val firstMinor = 10

  /** Whether whole row groups may be copied. */
  def canCopy(old: ParquetMetadata, schema: MessageType): Either[NoCopy, Unit] =
    schema.getFields.asScala.map(canCopy(old, _)).find(_.isLeft).getOrElse(ofFile(old))

  /** Whether chunks of a column may be copied.
    * @param column of the new file */
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
    FileCalendar.isOurs(of) && Option(of.getCreatedBy).flatMap(parsed).exists { by =>
      val version = by.getSemanticVersion
      by.application == writer && by.hasSemanticVersion &&
      (version.major > 1 || version.major == 1 && version.minor >= firstMinor)
    }

  private def parsed(createdBy: String): Option[VersionParser.ParsedVersion] =
    try Some(VersionParser.parse(createdBy))
    catch { case _: VersionParseException => None }

  /** Field ids may differ: no reader of a Hudi table goes by them. */
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
