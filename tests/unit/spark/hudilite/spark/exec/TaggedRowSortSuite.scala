package hudilite.spark.exec

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.SparkSuite
import hudilite.spark.locate.TaggedRow

class TaggedRowSortSuite extends SparkSuite {

  import TaggedRowSortSuite.{text, Row}

  private def sorted(rows: Seq[Row]): Seq[Row] = {
    TaggedRowSortSuite.rows = rows
    spark.sparkContext.parallelize(Seq(1), 1).foreachPartition(_ => TaggedRowSortSuite.sort())
    TaggedRowSortSuite.rows
  }

  /** Each file group lies together, its rows in the order of their keys' bytes. */
  private def check(rows: Seq[Row]): Unit = {
    val found = sorted(rows)
    val groups = found.map { case (partition, bucket, _) => (partition, bucket) }
    val runs = groups.headOption.size + groups.zip(groups.drop(1)).count { case (a, b) => a != b }
    assert(runs == groups.distinct.size)
    val wanted = rows.groupBy { case (partition, bucket, _) => (partition, bucket) }
    found.groupBy { case (partition, bucket, _) => (partition, bucket) }.foreach {
      case (group, there) =>
        assert(there.map(r => text(r._3)) == wanted(group).map(r => text(r._3)).sorted(nullsFirst))
    }
    assert(found.size == rows.size)
  }

  private val nullsFirst: Ordering[UTF8String] = (a, b) =>
    if (a == null || b == null) java.lang.Boolean.compare(b == null, a == null) else a.compareTo(b)

  private val seed = Random.nextLong()

  test(s"random rows of few and of many file groups, whatever their keys begin with ($seed)") {
    val random = new Random(seed)
    val begins = Seq("", "0000000000", "order-2026-é\ud83d\ude00-", "a\u0000")
    for (begin <- begins; groups <- Seq(1, 3, 400)) check(Seq.fill(3000) {
      val tail = Seq.fill(random.nextInt(9))(random.nextInt(3) match {
        case 0 => random.nextPrintableChar()
        case 1 => (random.nextInt(0x700) + 1).toChar
        case _ => '0'
      }).mkString
      // Few keys begin otherwise, and most of them come after the first that are looked at.
      val key = random.nextInt(50) match {
        case 0 => None
        case 1 => Some(tail)
        case 2 => Some(begin.dropRight(1))
        case _ => Some(begin + tail)
      }
      val group = random.nextInt(groups)
      val bucket = if (key.isEmpty && random.nextBoolean()) None else Some(group / 3)
      (Option.when(group % 3 > 0)(s"p=${group % 3}"), bucket, key)
    })
  }

  test("more file groups than two bytes can number") {
    val random = new Random(seed)
    check(random.shuffle((0 until 70000).flatMap { group =>
      Seq("b", "a", "c").map(key => (Some("p"), Some(group), Some(s"$key$group")))
    }))
  }

  test("keys compare by the bytes after what they begin with alike") {
    val begin =
      TaggedRowSort.commonBegin(Seq("user-17", "user-2", "user-").map(UTF8String.fromString))
    assert(begin.toString == "user-")
    val keys = Seq("", "user", "user-", "user-1", "user-2", "user-~~~~~~", "user.", "~")
    val bits = keys.map(key => TaggedRowSort.bits(UTF8String.fromString(key), begin))
    assert(bits == bits.sorted)
    assert(bits.distinct.size == keys.size - 3) // two before, two after, and what is padded
  }
}

private object TaggedRowSortSuite {
  type Row = (Option[String], Option[Int], Option[String])

  val schema: StructType = DataTypeUtils.fromAttributes(TaggedRow.columns)

  /** What a task sorts, and then what it has sorted: the task is in this JVM. */
  @volatile var rows: Seq[Row] = Nil

  def sort(): Unit = {
    val projection = UnsafeProjection.create(schema.fields.map(_.dataType))
    val unsafe = rows.iterator.map { case (partition, bucket, key) =>
      projection(InternalRow(text(partition), bucket.orNull[Any], text(key), null))
    }
    rows = new TaggedRowSort(schema, unsafe).sorted().map(read).toVector
  }

  def text(value: Option[String]): UTF8String = value.map(UTF8String.fromString).orNull

  def read(row: UnsafeRow): Row =
    (
      Option.when(TaggedRow.hasPartition(row))(TaggedRow.partition(row).toString),
      Option.when(TaggedRow.hasFileGroup(row))(TaggedRow.fileGroup(row)),
      Option.when(TaggedRow.hasKey(row))(TaggedRow.key(row).toString)
    )
}
