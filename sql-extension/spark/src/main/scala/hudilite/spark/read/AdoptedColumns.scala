package hudilite.spark.read

import org.apache.spark.sql.types.{StringType, StructField, StructType}
import org.apache.spark.sql.vectorized.ColumnVector

import hudilite.format.{MetaFields, TableConfig}

/** Where each column of an adopted file group comes from. Source: performance §5, hudi-format §8.3.
  * @param table     columns of the table
  * @param schema    columns to read, in this order
  * @param isStored  whether meta columns are read as the skeleton has them, whatever they should be: for
  *                  what holds them against the rest
  * @param isCounted whether a row's place tells its sequence number */
private[read] final case class AdoptedColumns(
    config: TableConfig,
    table: StructType,
    schema: StructType,
    isStored: Boolean,
    isCounted: Boolean
) {
  import AdoptedColumns._

  /** The key column whose values are the record keys as they stand. */
  private val key: Option[StructField] = Some(config.recordKeyFields)
    .filter(_.size == 1 && !isStored && !config.complexKey && !config.isKeyEncodingUncertain)
    .flatMap(names => table.find(_.name == names.head))
    .filter(key => key.dataType == StringType && !config.partitionFields.contains(key.name))

  private def kindOf(field: StructField): Kind = field.name match {
    case MetaFields.RecordKey if key.nonEmpty => OfKey
    case MetaFields.CommitSeqno if isCounted && !isStored => OfRow
    case name if ofEvery(name) && !isStored => OfName
    case name if MetaFields.all.contains(name) => OfSkeleton
    case name if config.partitionFields.contains(name) => OfPath
    case _ => OfSource
  }

  private val kinds = schema.map(kindOf).toArray

  /** Columns that sources hold. */
  val data: StructType = {
    val asked = of(OfSource).map(_._1)
    val more = key.filter(k => kinds.contains(OfKey) && !asked.exists(_.name == k.name))
    StructType(asked ++ more)
  }

  /** Whether rows must be counted. */
  def needsPlace: Boolean = kinds.contains(OfRow)

  /** Columns that skeletons hold. */
  val meta: StructType = StructType(of(OfSkeleton).map(_._1))

  /** Those that the partition's path tells, with their places. */
  def ofPath: Seq[(StructField, Int)] = of(OfPath)

  /** Those that the skeleton's name and place tell. */
  def ofName: Seq[(StructField, Int)] = of(OfName)

  /** The columns in their order.
    * @param constants by their places
    * @param sequence  numbers of the rows
    * @param vectors   of [[data]], and of [[meta]] where that is read */
  def arrange(
      constants: Map[Int, ColumnVector],
      sequence: ColumnVector,
      vectors: Seq[Int => ColumnVector]
  ): Array[ColumnVector] = Array.tabulate(kinds.length) { i =>
    kinds(i) match {
      case OfPath | OfName => constants(i)
      case OfSource => vectors.head(data.fieldIndex(schema(i).name))
      case OfKey => vectors.head(key.fold(-1)(k => data.fieldIndex(k.name)))
      case OfRow => sequence
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
  private case object OfPath extends Kind
  private case object OfSource extends Kind

  /** Meta columns that have one value in a whole file. */
  private val ofEvery =
    Set(MetaFields.CommitTime, MetaFields.PartitionPath, MetaFields.FileName)

  /** Whether a filter's column, or part of one, is a source's. */
  def isOfData(config: TableConfig, column: String): Boolean = {
    val name = column.takeWhile(_ != '.')
    !MetaFields.all.contains(name) && !config.partitionFields.contains(name)
  }

  /** Whether a filter's column tells row groups of a skeleton apart. */
  def isOfMeta(column: String): Boolean = MetaFields.all.contains(column) && !ofEvery(column)
}
