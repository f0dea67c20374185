package hudilite.spark.meta

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{LongType, StringType, StructType}

import hudilite.spark.catalog.HudiliteTable

/** Rows of the metadata table `t.partitions`: the partitions of a table. */
object PartitionRows {

  /** `rows` is null if an archived commit wrote one of the files. */
  val schema: StructType = new StructType()
    .add("partition", StringType, nullable = false)
    .add("files", LongType, nullable = false)
    .add("rows", LongType)
    .add("bytes", LongType, nullable = false)
    .add("last_instant", StringType)

  val hidden: Seq[HiddenColumn] = Seq(
    HiddenColumn.same("record_count", schema, "rows"),
    HiddenColumn.same("file_count", schema, "files"),
    HiddenColumn.same("total_data_file_size_in_bytes", schema, "bytes")
  )

  /** Returns one row for each partition; a table without partition columns has one. */
  def of(table: HudiliteTable): Seq[InternalRow] = {
    val list = new FileList(table)
    val slices = list.slices.groupBy(_.partition)
    table.snapshot.partitions().map { partition =>
      val inIt = slices.getOrElse(partition, Nil)
      MetadataRows.row(
        partition,
        inIt.map(_.files.size).sum.toLong,
        sum(inIt.map(list.rows)),
        inIt.map(_.wholeLength).sum,
        inIt.map(_.instant).maxOption
      )
    }
  }

  /** Returns the sum of the counts; None if one of them is unknown. */
  private[meta] def sum(counts: Seq[Option[Long]]): Option[Long] =
    Option.when(counts.forall(_.nonEmpty))(counts.flatten.sum)
}
