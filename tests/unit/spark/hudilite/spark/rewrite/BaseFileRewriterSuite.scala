package hudilite.spark.rewrite

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.SerializableConfiguration

import hudilite.format.{FileId, MetaSchema}
import hudilite.spark.SparkSuite
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.MetaColumns
import hudilite.spark.read.SliceReader
import hudilite.spark.write.{FileLayout, PendingWrite}

class BaseFileRewriterSuite extends SparkSuite {

  test("a task that fails while it rewrites a file leaves neither file nor marker") {
    sql("CREATE TABLE t (id STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1")
    val base = folder.resolve("db").resolve("t")
    val table = HudiliteTable.open(spark, "t", new Path(base.toUri), Map.empty)
    val write = table.log.begin(table.snapshot.base)
    val columns = MetaColumns.before(table.schema)
    val rewrite = BaseFileRewriter(
      PendingWrite.of("t", table.timeline, write),
      columns,
      MetaSchema.prepend(table.avroSchema(table.snapshot)),
      FileLayout.of(spark.sessionState.conf, table.config),
      SliceReader.factory(spark, table.config, columns, columns, Array.empty, strict = true),
      spark.sparkContext.broadcast(
        new SerializableConfiguration(spark.sessionState.newHadoopConf())
      )
    )
    Seq(0, 3).foreach { rows =>
      Seq("IllegalStateException", "InterruptedException", "LinkageError").foreach { error =>
        val failed = intercept[Exception](
          BaseFileRewriterSuite.failingAfter(spark, rewrite, rows, error)
        )
        assert(failed.getMessage.contains(s"$error: after the rows"))
        assert(filesOf(base, write.instant) == Nil, s"$error after $rows rows")
      }
    }
    val made = BaseFileRewriterSuite.writing(spark, rewrite)
    assert(filesOf(base, write.instant).size == 2, s"$made: a base file and its marker")
    assert(write.abort())
  }
}

/** Code that runs in a task: it captures nothing of the suite. */
private object BaseFileRewriterSuite {

  def failingAfter(
      spark: SparkSession,
      rewrite: BaseFileRewriter,
      rows: Int,
      error: String
  ): Unit = spark.sparkContext.parallelize(Seq(rows), 1).foreach { count =>
    rewrite.write("", fileId, None, Nil) { (_, add) =>
      (0 until count).foreach(i => add(key(i), row(i)))
      error match {
        case "InterruptedException" => throw new InterruptedException("after the rows")
        case "LinkageError" => throw new LinkageError("after the rows")
        case _ => throw new IllegalStateException("after the rows")
      }
    }: Unit
  }

  def writing(spark: SparkSession, rewrite: BaseFileRewriter): String =
    spark.sparkContext.parallelize(Seq(1), 1)
      .map(_ => rewrite.write("", fileId, None, Nil)((_, add) => add(key(1), row(1))).toString)
      .collect().head

  private def fileId = FileId.bucket("11111111-2222-3333-4444-555555555555", "", 0, "0")
  private def key(i: Int) = UTF8String.fromString(s"k$i")
  private def row(i: Int) = InternalRow.fromSeq(Seq.fill(5)(key(i)) :+ key(i))
}
