package hudilite.spark.exec

import scala.collection.mutable.ArrayBuffer
import scala.util.Random

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.SparkSuite
import hudilite.spark.locate.TaggedRow

class TaggedRowSortSuite extends SparkSuite {

  import TaggedRowSortSuite.{text, Row}

  /** @param spillsAfter number of rows after which a sorter spills; 0 for never */
  private def sorted(rows: Seq[Row], spillsAfter: Int): (Seq[Row], Seq[TaggedRowSort.Cost]) = {
    val setting = "spark.shuffle.spill.numElementsForceSpillThreshold"
    val conf = SparkEnv.get.conf
    TaggedRowSortSuite.rows = rows
    if (spillsAfter > 0) conf.set(setting, spillsAfter.toString)
    try spark.sparkContext.parallelize(Seq(1), 1).foreachPartition(_ => TaggedRowSortSuite.sort())
    finally conf.remove(setting)
    (TaggedRowSortSuite.rows, TaggedRowSortSuite.costs)
  }

  /** Checks that each file group lies together, its rows in the order of their keys' bytes, without
    * and with spills.
    * @param sorts number of sorts that it takes */
  private def check(rows: Seq[Row], sorts: Int = 1): Unit = Seq(0, rows.size / 5).foreach { after =>
    val (found, costs) = sorted(rows, after)
    val groups = found.map(groupOf)
    val runs = groups.headOption.size + groups.zip(groups.drop(1)).count { case (a, b) => a != b }
    assert(runs == groups.distinct.size)
    val wanted = rows.groupBy(groupOf)
    found.groupBy(groupOf).foreach { case (group, there) =>
      assert(there.map(r => text(r._3)) == wanted(group).map(r => text(r._3)).sorted(nullsFirst))
    }
    assert(found.size == rows.size)
    assert(costs.size == sorts)
    assert(costs.forall(cost => (cost.spilledBytes > 0) == (after > 0)), costs)
  }

  private def groupOf(row: Row): (Option[String], Option[Int]) = (row._1, row._2)

  private val nullsFirst: Ordering[UTF8String] = (a, b) =>
    if (a == null || b == null) java.lang.Boolean.compare(b == null, a == null) else a.compareTo(b)

  private val seed = Random.nextLong()

  test(s"random rows of few and of many file groups, whatever their keys begin with ($seed)") {
    val random = new Random(seed)
    val begins = Seq("", "0000000000", "order-2026-é\ud83d\ude00-", "a\u0000", "x" * 130)
    for (begin <- begins; groups <- Seq(1, 3, 400)) check(Seq.fill(3000) {
      val tail = Seq.fill(random.nextInt(9))(random.nextInt(3) match {
        case 0 => random.nextPrintableChar()
        case 1 => (random.nextInt(0x700) + 1).toChar
        case _ => '0'
      }).mkString
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
    check(
      random.shuffle((0 until 90000).flatMap { group =>
        Seq(Some(s"b$group"), None, Some(s"a$group")).map(key => (Some("p"), Some(group), key))
      }),
      sorts = 2
    )
  }

  test("many keys that a prefix does not tell apart are sorted by themselves") {
    val random = new Random(seed)
    val (alike, others) = ("k" * 300, random.shuffle((0 until 3000).toList))
    val rows = random.shuffle((0 until 6000).toList).map(i => Some(f"$alike$i%07d")) ++
      others.map(i => Some(s"j$i")) ++ others.map(i => Some(s"l$i"))
    check(rows.map((Some("p"), Some(1), _)), sorts = 2)
  }

  test("rows without a key, and rows of one key, are neighbors") {
    val random = new Random(seed)
    val visits = (0 until 400).map(group => (Some(s"p${group % 3}"), Some(group), None))
    val keyless = Seq.fill(30000)((Some("p1"), None, None))
    check(random.shuffle(visits ++ keyless))
    val equal = Seq.fill(30000)((Some("p1"), Some(1), Some("k")))
    check(random.shuffle(visits ++ equal), sorts = 2)
    check(Seq.empty[Row] :+ ((None, Some(1), None)) :+ ((None, Some(1), None)) :+
      ((None, Some(1), Some("k"))))
  }

  test("no rows, and one row") {
    Seq(Nil, Seq((Some("p"), Some(1), Some("k")))).foreach(rows =>
      assert(sorted(rows, 0)._1 == rows)
    )
  }
}

private object TaggedRowSortSuite {
  type Row = (Option[String], Option[Int], Option[String])

  val schema: StructType = DataTypeUtils.fromAttributes(TaggedRow.columns)

  /** What a task sorts, and then what it has sorted: the task is in this JVM. */
  @volatile var rows: Seq[Row] = Nil

  /** Cost of each of its sorts. */
  @volatile var costs: Seq[TaggedRowSort.Cost] = Nil

  def sort(): Unit = {
    val projection = UnsafeProjection.create(schema.fields.map(_.dataType))
    val unsafe = rows.iterator.map { case (partition, bucket, key) =>
      projection(InternalRow(text(partition), bucket.orNull[Any], text(key), null))
    }
    val counted = ArrayBuffer.empty[TaggedRowSort.Cost]
    rows = new TaggedRowSort(schema, unsafe, counted += _).sorted().map(read).toVector
    costs = counted.toSeq
  }

  def text(value: Option[String]): UTF8String = value.map(UTF8String.fromString).orNull

  def read(row: UnsafeRow): Row =
    (
      Option.when(TaggedRow.hasPartition(row))(TaggedRow.partition(row).toString),
      Option.when(TaggedRow.hasFileGroup(row))(TaggedRow.fileGroup(row)),
      Option.when(TaggedRow.hasKey(row))(TaggedRow.key(row).toString)
    )
}
