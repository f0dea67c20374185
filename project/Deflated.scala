import java.io.ByteArrayOutputStream
import java.util.zip.Deflater

import org.objectweb.asm.ClassReader

/** Bytes in the deflate format. The texts of a class, its other constants and its code have little in
  * common: in blocks of their own, each with its own code table, they take a fortieth less. */
object Deflated {
  def of(bytes: Array[Byte]): Array[Byte] =
    ends(bytes).map(inBlocks(bytes, _)).minBy(_.length)

  /** The ways to end a block within the bytes. */
  private def ends(bytes: Array[Byte]): Seq[Seq[Int]] =
    if (!bytes.startsWith(Seq(0xca, 0xfe, 0xba, 0xbe).map(_.toByte))) Seq(Nil)
    else {
      val reader = new ClassReader(bytes)
      val afterTexts = (1 until reader.getItemCount)
        .map(reader.getItem(_) - 1)
        .find(at => at > 0 && bytes(at) != 1)
        .toSeq
      val afterConstants = Seq(reader.header)
      Seq(Nil, afterTexts, afterConstants, afterTexts ++ afterConstants)
    }

  private def inBlocks(bytes: Array[Byte], ends: Seq[Int]): Array[Byte] = {
    val deflater = new Deflater(Deflater.BEST_COMPRESSION, true)
    val out = new ByteArrayOutputStream
    val buffer = new Array[Byte](1 << 16)
    def drain(): Unit =
      Iterator.continually(deflater.deflate(buffer)).takeWhile(_ > 0).foreach(
        out.write(buffer, 0, _)
      )
    try {
      (0 +: ends).zip(ends).foreach { case (from, until) =>
        deflater.setInput(bytes, from, until - from)
        drain()
        // A change of strategy ends the block, which no method of Deflater does.
        deflater.setStrategy(Deflater.FILTERED)
        drain()
        deflater.setStrategy(Deflater.DEFAULT_STRATEGY)
        drain()
      }
      val from = ends.lastOption.getOrElse(0)
      deflater.setInput(bytes, from, bytes.length - from)
      deflater.finish()
      drain()
      out.toByteArray
    } finally deflater.end()
  }
}
