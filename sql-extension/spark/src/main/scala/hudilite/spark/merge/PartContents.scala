package hudilite.spark.merge

import java.nio.ByteBuffer
import java.util.Base64

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.unsafe.types.UTF8String
import org.roaringbitmap.RoaringBitmap

import hudilite.spark.write.FooterPairs

/** Collector of what a part file leaves to the task that joins the parts (task side): which row
  * groups of the old base file stay as they are, and which rows of the part file are new. The part's
  * footer contains both, and neither a bloom filter nor a key range. */
final class PartContents extends FooterPairs {
  private val left = ArrayBuffer.empty[(Int, Int)]
  private val inserted = new RoaringBitmap

  override def needsAllKeys: Boolean = false

  override def add(key: UTF8String): Unit = ()

  /** Leaves out a row group of the old base file.
    * @param ordinal its ordinal in the old base file
    * @param before  number of row groups of the part file that come before it */
  def leaveOut(ordinal: Int, before: Int): Unit = left += ((ordinal, before))

  /** Notes a row whose key is new in the file group.
    * @param row its number in the part file, greater than in the call before */
  def insert(row: Long): Unit = inserted.add(Math.toIntExact(row))

  override def footer(rows: Long): Map[String, String] = {
    inserted.runOptimize(): Unit
    val bytes = ByteBuffer.allocate(inserted.serializedSizeInBytes)
    inserted.serialize(bytes)
    Map(
      PartContents.leftKey -> left.map { case (ordinal, before) => s"$ordinal@$before" }
        .mkString(","),
      PartContents.insertedKey -> Base64.getEncoder.encodeToString(bytes.array)
    )
  }
}

object PartContents {
  private val leftKey = "hudilite.part.left"
  private val insertedKey = "hudilite.part.inserted"

  /** Contents of a part file's footer.
    * @param left     for each row group of the old base file that was left out, its ordinal there and
    *                 the number of row groups of the part file that come before it
    * @param inserted numbers of the new rows in the part file */
  final case class Stored(left: Seq[(Int, Int)], inserted: RoaringBitmap)

  /** Reads a footer's key-value pairs that [[PartContents.footer]] has made. */
  def of(pairs: Map[String, String]): Stored = {
    val left = pairs(leftKey).split(",").toSeq.filter(_.nonEmpty).map { text =>
      val at = text.indexOf('@')
      (text.take(at).toInt, text.drop(at + 1).toInt)
    }
    val inserted = new RoaringBitmap
    inserted.deserialize(ByteBuffer.wrap(Base64.getDecoder.decode(pairs(insertedKey))))
    Stored(left, inserted)
  }
}
