package hudilite.procedures

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.JoinedRow
import org.apache.spark.sql.catalyst.util.{ArrayData, CharVarcharUtils}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.exec.{PreviewTotals, PreviewedFileGroup, WritePreview}
import hudilite.spark.meta.MetadataRows
import hudilite.spark.read.ChangedRows

/** Form in which the result of a preview is shown.
  * @param name word for the argument */
sealed abstract private[procedures] class PreviewRows(val name: String) {

  /** Columns of the rows. */
  def schema(preview: WritePreview): StructType

  def rows(preview: WritePreview): Seq[InternalRow]
}

private[procedures] object PreviewRows {
  import PreviewedFileGroup.Hide

  lazy val all: Seq[PreviewRows] = Seq(Partitions, Files, Changes, Statement)

  def named(name: String): PreviewRows = all.find(_.name == name).get

  /** One row for each partition that changes. */
  case object Partitions extends PreviewRows("partitions") {
    override def schema(preview: WritePreview): StructType =
      StructType(StructField("partition", StringType, nullable = false) +: totals)

    override def rows(preview: WritePreview): Seq[InternalRow] = {
      val byPartition = preview.fileGroups.groupBy(_.partition)
      preview.partitions.toSeq.sorted.map { partition =>
        val of = byPartition.getOrElse(partition, Nil)
        val totals = PreviewTotals.of(of, preview.hidden.getOrElse(partition, 0L))
        row(Seq[Any](partition) ++ totals)
      }
    }
  }

  /** One row for the statement. */
  case object Statement extends PreviewRows("statement") {
    override def schema(preview: WritePreview): StructType = totals
      .add("blind", BooleanType, nullable = false)
      .add("reason", StringType, nullable = false)
      .add("pending_writes", instants, nullable = false)
      .add("conflicts", instants, nullable = false)

    override def rows(preview: WritePreview): Seq[InternalRow] = Seq(row(
      preview.totals ++
        Seq[Any](preview.isBlind, preview.reason, array(preview.pending), array(preview.conflicts))
    ))
  }

  /** One row for each file group that changes. */
  case object Files extends PreviewRows("files") {
    override def schema(preview: WritePreview): StructType = new StructType()
      .add("partition", StringType, nullable = false)
      .add("file_id", StringType)
      .add("action", StringType, nullable = false)
      .add("base_file", StringType)
      .add("bytes", LongType)
      .add("num_updated_rows", LongType)
      .add("num_deleted_rows", LongType)
      .add("num_inserted_rows", LongType)
      .add("num_copied_rows", LongType)
      .add("conflicts", instants, nullable = false)

    override def rows(preview: WritePreview): Seq[InternalRow] = preview.fileGroups.map { of =>
      val counts = Seq(of.updated, of.deleted, of.inserted, of.copied)
        .map(count => Option.when(of.action != Hide)(count))
      row(
        Seq(of.partition, of.fileId, of.action, of.file, of.bytes) ++ counts :+ array(of.conflicts)
      )
    }
  }

  /** Some changed rows: the columns of the table, then the kind of the change. */
  case object Changes extends PreviewRows("rows") {
    override def schema(preview: WritePreview): StructType = {
      val columns = CharVarcharUtils.replaceCharVarcharWithStringInSchema(preview.columns)
      StructType(columns.map(column => StructField(column.name, column.dataType)))
        .add(ChangedRows.kind, StringType, nullable = false)
    }

    override def rows(preview: WritePreview): Seq[InternalRow] = preview.rows.map { sampled =>
      new JoinedRow(sampled.row(preview.columns.size), row(Seq(sampled.kind)))
    }
  }

  private val instants = ArrayType(StringType, containsNull = false)

  private val totals =
    PreviewTotals.names.foldLeft(new StructType())(_.add(_, LongType, nullable = false))

  private def row(values: Seq[Any]): InternalRow = MetadataRows.row(values: _*)

  private def array(texts: Seq[String]): ArrayData =
    ArrayData.toArrayData(texts.map(UTF8String.fromString).toArray)
}
