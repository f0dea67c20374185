package hudilite.spark.write

import java.io.ByteArrayOutputStream

import scala.util.Random

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.values.ValuesWriter
import org.apache.parquet.column.values.factory.DefaultV1ValuesWriterFactory
import org.apache.parquet.column.{ColumnDescriptor, Encoding, ParquetProperties}
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

class DictionaryValuesSuite extends AnyFunSuite {

  private val seed = Random.nextLong()
  private val dictionaryBytes = 4000

  private val properties = ParquetProperties.builder()
    .withDictionaryPageSize(dictionaryBytes).withPageRowCountLimit(100).build()

  private def column(kind: String): ColumnDescriptor =
    MessageTypeParser.parseMessageType(s"message m { required $kind x; }").getColumns.get(0)

  private def parquets(kind: String): ValuesWriter = {
    val factory = new DefaultV1ValuesWriterFactory
    factory.initialize(properties)
    factory.newValuesWriter(column(kind))
  }

  private def numbers(width: Int) = new DictionaryNumbers(width, properties, () => ())
  private def texts(gaveUp: () => Unit = () => ()) = new DictionaryBytes(properties, gaveUp)

  private def bytes(of: BytesInput): Seq[Byte] = {
    val out = new ByteArrayOutputStream
    of.writeAllTo(out)
    out.toByteArray.toSeq
  }

  /** Writes column chunks into both, and sees that they are the same.
    * @param value writes a value, given its number among the different ones of the chunk */
  private def check(ours: () => ValuesWriter, kind: String)(
      value: (Int, Random) => ValuesWriter => Unit
  ): Unit = {
    val random = new Random(seed)
    for (different <- Seq(1, 2, 3, 50, 400, 700, 1000, 5000)) {
      val both = Seq(ours(), parquets(kind))
      for (_ <- 1 to 6) {
        for (_ <- 1 to random.nextInt(600)) {
          val write = value(random.nextInt(different), random)
          for {
            _ <- 0 to (if (random.nextInt(3) == 0) random.nextInt(40) else 0)
            of <- both
          } write(of)
          assert(both.head.getBufferedSize == both(1).getBufferedSize)
        }
        val pages = both.map(of => (bytes(of.getBytes), of.getEncoding))
        assert(pages.head == pages(1), different)
        both.foreach(_.reset())
      }
      val dictionaries = both.map(of => Option(of.toDictPageAndClose()))
      assert(dictionaries.head.map(_.getDictionarySize) == dictionaries(1).map(_.getDictionarySize))
      assert(dictionaries.head.map(_.getEncoding) == dictionaries(1).map(_.getEncoding))
      assert(dictionaries.head.map(of => bytes(of.getBytes)) ==
        dictionaries(1).map(of => bytes(of.getBytes)))
      both.foreach(_.close())
    }
  }

  test(s"dictionaries of 32-bit numbers are Parquet's, byte for byte ($seed)") {
    check(() => numbers(4), "int32")((n, _) => _.writeInteger((n - 7) * 0x10001))
  }

  test(s"dictionaries of 64-bit numbers are Parquet's, byte for byte ($seed)") {
    check(() => numbers(8), "int64")((n, _) => _.writeLong((n - 7) * 0x100000001L))
  }

  private val special = Seq(0.0, -0.0, Double.NaN, Double.NegativeInfinity, Double.MinPositiveValue)

  test(s"dictionaries of floats are Parquet's, byte for byte ($seed)") {
    check(() => numbers(4), "float") { (n, _) =>
      _.writeFloat(special.lift(n).fold(n / 3f)(_.toFloat))
    }
  }

  test(s"dictionaries of doubles are Parquet's, byte for byte ($seed)") {
    check(() => numbers(8), "double")((n, _) => _.writeDouble(special.lift(n).getOrElse(n / 3d)))
  }

  test(s"dictionaries of texts are Parquet's, byte for byte ($seed)") {
    check(() => texts(), "binary") { (n, random) =>
      // Texts of any length, none of which begins another.
      val text = if (n == 0) "" else s"${"\u00e9" * (n % 9)} $n ${"x" * (n % 23)}"
      val of = text.getBytes
      val place = random.nextInt(3)
      val binary =
        if (place == 0) Binary.fromConstantByteArray(of)
        else Binary.fromReusedByteArray(new Array[Byte](place) ++ of, place, of.length)
      _.writeBytes(binary)
    }
  }

  test("a page knows the values that it has, and the next one knows none") {
    val of = texts()
    def add(text: String) = of.add(text.getBytes, 0, text.length)
    for (_ <- 1 to 3) {
      assert(Seq("a", "a", "b", "a", "b", "b", "").map(add) ==
        Seq(true, false, true, false, false, false, true))
      of.getBytes: Unit
      of.reset()
    }
    val number = numbers(8)
    for (_ <- 1 to 3) {
      assert(Seq(5L, 5L, 6L, 5L).map(number.add) == Seq(true, false, true, false))
      number.getBytes: Unit
      number.reset()
    }
  }

  test("an array may change after the call that writes it") {
    val of = texts()
    val array = "abab".getBytes
    of.add(array, 0, 2): Unit
    array(0) = 'c'
    assert(of.add(array, 0, 2) && !of.add(array, 2, 2) && !of.add(array, 0, 2))
  }

  Seq(0 -> "PLAIN_DICTIONARY", 1 -> "PLAIN").foreach { case (more, encoding) =>
    test(s"a dictionary that is $more bytes over its limit makes pages $encoding") {
      val sizes = Seq(1000, 1000, 1000, 984 + more) // and four bytes of length each
      var gaveUp = 0
      val of = texts(() => gaveUp += 1)
      for {
        (size, i) <- sizes.zipWithIndex
        _ <- 1 to 3
      } of.add(Array.fill(size)(i.toByte), 0, size): Unit
      val page = bytes(of.getBytes)
      assert(of.getEncoding.name == encoding && gaveUp == more)
      assert(page.size > 3 * dictionaryBytes || more == 0)
    }
  }

  test("a value larger than the dictionary is plain") {
    val of = texts()
    val value = new Array[Byte](10 << 20)
    for (_ <- 1 to 2) assert(of.add(value, 0, value.length))
    assert(of.getBytes.size == 2L * (value.length + 4) && of.getEncoding == Encoding.PLAIN)
    assert(Option(of.toDictPageAndClose()).isEmpty)
  }

  Seq(99 -> 0, 100 -> 1).foreach { case (values, times) =>
    test(s"a first page of $values different values gives the dictionary up $times times") {
      var gaveUp = 0
      val of = new DictionaryNumbers(8, properties, () => gaveUp += 1)
      (0 until values).foreach(i => of.add(i.toLong): Unit)
      of.getBytes: Unit
      assert(of.getEncoding == Encoding.PLAIN && gaveUp == times)
    }
  }

  test("after a trial that fails, seven row groups have none") {
    val trials = new DictionaryTrials
    val found = Seq.tabulate(20) { i =>
      val isDue = trials.isDue()
      if (isDue && i < 10) trials.fail()
      isDue
    }
    assert(found.zipWithIndex.filter(_._1).map(_._2) == Seq(0, 8, 16, 17, 18, 19))
  }
}
