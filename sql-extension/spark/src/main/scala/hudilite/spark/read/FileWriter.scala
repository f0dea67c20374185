package hudilite.spark.read

import org.apache.parquet.VersionParser
import org.apache.parquet.VersionParser.VersionParseException
import org.apache.parquet.hadoop.metadata.FileMetaData

/** Library that wrote a file. */
object FileWriter {
  private val parquetJava = "parquet-mr"
  private val firstMinor = 10

  /** Whether it is a release of parquet-java whose statistics are right. Among others, values with
    * a NaN have no bounds. */
  def isTrusted(file: FileMetaData): Boolean =
    Option(file.getCreatedBy).flatMap(parsed).exists(isRightRelease)

  private def isRightRelease(by: VersionParser.ParsedVersion): Boolean = {
    val version = by.getSemanticVersion
    by.application == parquetJava && by.hasSemanticVersion &&
    (version.major > 1 || version.major == 1 && version.minor >= firstMinor)
  }

  private def parsed(createdBy: String): Option[VersionParser.ParsedVersion] =
    try Some(VersionParser.parse(createdBy))
    catch { case _: VersionParseException => None }
}
