package hudilite.spark.read

import org.apache.spark.sql.types.{StringType, StructField, StructType}
import org.apache.spark.sql.vectorized.ColumnVector

import hudilite.format.{MetaFields, TableConfig}

/** Origin of each column of an adopted file group: skeleton, its name and path, source file, or row
  * position. Source: performance §5, hudi-format §8.3.
  * @param table     columns of the table
  * @param schema    columns to read, in this order
  * @param isStored  whether all meta columns are read from the skeleton as they are stored, and
  *                  none is derived; needed to compare them with the data
  * @param isCounted whether the sequence number of a row is derived from its position */
private[read] final case class AdoptedColumns(
    config: TableConfig,
    table: StructType,
    schema: StructType,
    isStored: Boolean,
    isCounted: Boolean
) {
  import AdoptedColumns._

  /** Key column that is read in place of `_hoodie_record_key`, because its values are the record
    * keys; None if there is no such column. */
  private val key: Option[StructField] = Some(config.recordKeyFields)
    .filter(_.size == 1 && !isStored && !config.complexKey && !config.isKeyEncodingUncertain)
    .flatMap(names => table.find(_.name == names.head))
    .filter(key => key.dataType == StringType && !config.partitionFields.contains(key.name))

  private def kindOf(field: StructField): Kind = field.name match {
    case MetaFields.RecordKey if key.nonEmpty => OfKey
    case MetaFields.CommitSeqno if isCounted && !isStored => OfRow
    case FileColumn.rowIndex.name => OfPlace
    case name if ofEvery(name) && !isStored => OfName
    case name if MetaFields.all.contains(name) => OfSkeleton
    case name if config.partitionFields.contains(name) => OfPath
    case _ => OfSource
  }

  private val kinds = schema.map(kindOf).toArray

  /** Columns to read from the source file. */
  val data: StructType = {
    val asked = of(OfSource).map(_._1)
    val more = key.filter(k => kinds.contains(OfKey) && !asked.exists(_.name == k.name))
    StructType(asked ++ more)
  }

  /** Whether the position of each row in the source file must be known. */
  def needsPlace: Boolean = kinds.contains(OfRow) || kinds.contains(OfPlace)

  /** Columns to read from the skeleton. */
  val meta: StructType = StructType(of(OfSkeleton).map(_._1))

  /** Columns that come from the partition path, with their indices in `schema`. */
  def ofPath: Seq[(StructField, Int)] = of(OfPath)

  /** Columns that come from the skeleton's name and path, with their indices in `schema`. */
  def ofName: Seq[(StructField, Int)] = of(OfName)

  /** Returns the vectors of all columns, in the order of `schema`.
    * @param constants vectors of [[ofPath]] and [[ofName]], by their indices in `schema`
    * @param sequence  sequence numbers of the rows
    * @param places    positions of the rows in the source file
    * @param vectors   vectors of [[data]], then of [[meta]] if that is read, by column index */
  def arrange(
      constants: Map[Int, ColumnVector],
      sequence: ColumnVector,
      places: ColumnVector,
      vectors: Seq[Int => ColumnVector]
  ): Array[ColumnVector] = Array.tabulate(kinds.length) { i =>
    kinds(i) match {
      case OfPath | OfName => constants(i)
      case OfSource => vectors.head(data.fieldIndex(schema(i).name))
      case OfKey => vectors.head(key.fold(-1)(k => data.fieldIndex(k.name)))
      case OfRow => sequence
      case OfPlace => places
      case OfSkeleton => vectors.last(meta.fieldIndex(schema(i).name))
    }
  }

  private def of(kind: Kind): Seq[(StructField, Int)] =
    schema.fields.toSeq.zipWithIndex.filter { case (_, i) => kinds(i) == kind }
}

private[read] object AdoptedColumns {
  private sealed trait Kind extends Serializable
  private case object OfSkeleton extends Kind
  private case object OfName extends Kind
  private case object OfKey extends Kind
  private case object OfRow extends Kind
  private case object OfPlace extends Kind
  private case object OfPath extends Kind
  private case object OfSource extends Kind

  /** Meta columns that have the same value in all rows of a skeleton. */
  private val ofEvery =
    Set(MetaFields.CommitTime, MetaFields.PartitionPath, MetaFields.FileName)

  /** Whether the column of a filter, or the struct that contains it, is in the source file. */
  def isOfData(config: TableConfig, column: String): Boolean = {
    val name = column.takeWhile(_ != '.')
    !MetaFields.all.contains(name) && !config.partitionFields.contains(name)
  }

  /** Whether a filter on the column can skip row groups of a skeleton. */
  def isOfMeta(column: String): Boolean = MetaFields.all.contains(column) && !ofEvery(column)
}
