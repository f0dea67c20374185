package hudilite.spark.bootstrap

import java.nio.file.{Files, Path => LocalPath}

import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration

import hudilite.bootstrap.SkeletonLayout
import hudilite.format.FileId
import hudilite.spark.SparkSuite
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.MetaColumns
import hudilite.spark.read.SliceReader
import hudilite.spark.write.PendingWrite

class SkeletonTaskSuite extends SparkSuite {

  test("a task that fails behind its first skeletons leaves neither files nor markers") {
    sql("CREATE TABLE t (id STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1")
    val base = folder.resolve("db").resolve("t")
    val source = folder.resolve("source")
    sql("SELECT CAST(id AS STRING) id FROM range(30)").repartition(3)
      .write.parquet(source.toUri.toString)
    val files = filesBelow(source).filter(_.endsWith(".parquet")).map(name => LocalPath.of(name))
    val table = HudiliteTable.open(spark, "t", new Path(base.toUri), Map.empty)
    val write = table.log.begin(table.snapshot.base)
    val pending = PendingWrite.of("t", table.timeline, write).copy(ticket = Some(write.ticket))
    val facts = factsOf(table, Some(pending))
    val good = files.zipWithIndex.map { case (file, i) =>
      placed(i, file.toUri.toString, Files.size(file))
    }
    val bad = placed(3, "nowhere://host/file.parquet", 100)
    intercept[Exception](SkeletonTaskSuite.run(spark, facts, good :+ bad))
    assert(filesOf(base, write.instant) == Nil)
    assert(SkeletonTaskSuite.run(spark, facts, good) > 0)
    assert(filesOf(base, write.instant).size == 2 * good.size, "skeletons and their markers")
    assert(write.abort(Seq("")))
  }

  private def factsOf(table: HudiliteTable, write: Option[PendingWrite]) = {
    val columns = StructType(table.schema.filter(_.name == "id"))
    val schema = MetaColumns.before(columns)
    val readers =
      SliceReader.factory(spark, table.config, schema, columns, Array.empty, strict = true)
    SkeletonTaskFacts(
      table.basePath.toString,
      write,
      write.fold("")(_.instant),
      columns,
      SourceKeyFacts("t", Seq("id"), isComplex = false, columns, new StructType, readers),
      isGlobal = true,
      SkeletonLayout(CompressionCodecName.SNAPPY, 1000, "SIMPLE"),
      ranges = 2,
      spark.sparkContext.broadcast(
        new SerializableConfiguration(spark.sessionState.newHadoopConf())
      )
    )
  }

  private def placed(ordinal: Int, path: String, length: Long) = {
    val id = FileId.fileGroup("11111111-2222-3333-4444-555555555555", "", "0", ordinal)
    PlacedFile(ordinal, path, length, InternalRow.empty, "", id, isAdopted = true)
  }

}

/** Code that runs in a task: it captures nothing of the suite. */
private object SkeletonTaskSuite {
  def run(spark: SparkSession, facts: SkeletonTaskFacts, files: Seq[PlacedFile]): Long =
    spark.sparkContext.parallelize(Seq(files), 1)
      .flatMap(some => new SkeletonTask(facts, TaskContext.get()).run(some))
      .count()
}
