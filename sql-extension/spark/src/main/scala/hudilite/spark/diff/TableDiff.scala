package hudilite.spark.diff

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  And,
  Attribute,
  BoundReference,
  Expression,
  PredicateHelper
}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hudilite.FilterTranslation
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration

import hudilite.format.MetaFields
import hudilite.spark.error.InvalidArgument
import hudilite.spark.plan.MetaColumns
import hudilite.spark.read.{PartitionFilter, SliceReader}
import hudilite.view.FileSlice

/** Differences of two states of a table, or of two tables, by key (driver side). Tables that put a key into
  * the bucket of the same number are compared bucket by bucket, see [[PairMerge]]; others by a
  * [[KeyJoin]]. Of two states of one table only the file slices are read that are not the same in both.
  * @param before state in which an inserted row is missing
  * @param after  state in which a deleted row is missing */
final class TableDiff private (
    session: SparkSession,
    before: DiffSide,
    after: DiffSide,
    columns: ComparedColumns,
    identity: RowIdentity,
    conditions: (Seq[Expression], Seq[Expression])
) {

  /** Columns that only one of the tables has, with its name. */
  def leftOut: Seq[String] = columns.leftOut

  /** Columns of [[rows]]. */
  val schema: StructType = DiffRow(columns.shown).schema

  /** Counts the differences of each partition that has any.
    * Errors: HUDILITE_SNAPSHOT_EXPIRED, HUDILITE_MISSING_DATA_FILE, HUDILITE_CORRUPT_DATA_FILE. */
  def counts: Seq[DiffCounts] = DiffCounts.total(paired match {
    case Some(pairs) =>
      val merge = merging(columns.compared)
      distributed(pairs).mapPartitions(merge.counts).collect().toSeq
    case None => join.counts
  })

  /** Returns the rows of some differences, an update as two rows.
    * @param most number of differences
    * Errors: those of [[counts]]. */
  def rows(most: Int): Seq[InternalRow] = {
    val found: Seq[InternalRow] = paired match {
      case Some(pairs) =>
        val merge = merging(columns.shown ++ columns.compared)
        val values = shown(merge)
        distributed(pairs).mapPartitions(merge.rows(values, most)).take(most).toSeq
      case None => join.rows(most)
    }
    found.flatMap(DiffRow(columns.shown).shown)
  }

  private lazy val (olds, news): (Seq[FileSlice], Seq[FileSlice]) = {
    val all = (before.slices(conditions._1), after.slices(conditions._2))
    if (before.isSameTable(after)) (SlicePair.changed _).tupled(all) else all
  }

  private def paired: Option[Seq[SlicePair]] = identity match {
    case RowIdentity.Stored(inBuckets) if inBuckets => SlicePair.byBucket(olds, news)
    case _ => None
  }

  private def join: KeyJoin = {
    val names = identity match {
      case RowIdentity.Stored(_) => Seq(MetaFields.RecordKey, MetaFields.PartitionPath)
      case RowIdentity.ByColumns(names) => names
    }
    new KeyJoin(
      session,
      KeyJoin.Side(before, olds, conditions._1),
      KeyJoin.Side(after, news, conditions._2),
      names,
      columns
    )
  }

  private def distributed(pairs: Seq[SlicePair]): RDD[SlicePair] = {
    val tasks = pairs.size.max(1).min(TableDiff.mostTasks)
    // Neighbours are of one task: pairs of different sizes.
    val dealt = pairs.zipWithIndex.sortBy { case (_, i) => (i % tasks, i) }.map(_._1)
    session.sparkContext.parallelize(dealt, tasks)
  }

  private def merging(read: Seq[ComparedColumn]): PairMerge = {
    val one = reader(before, olds, read.map(_.before), conditions._1)
    val other = reader(after, news, read.map(_.after), conditions._2)
    val (values, others) = sides(one, other, columns.compared)
    PairMerge(
      one,
      other,
      DiffRow.differs(values, others),
      session.sparkContext.broadcast(
        new SerializableConfiguration(session.sessionState.newHadoopConf())
      )
    )
  }

  private def shown(merge: PairMerge): Seq[Expression] = {
    val (values, others) = sides(merge.before, merge.after, columns.shown)
    values ++ others
  }

  /** Returns the values of columns before and after, by their places in both rows. */
  private def sides(one: SideReader, other: SideReader, of: Seq[ComparedColumn]) = (
    DiffRow.values(of)(column => TableDiff.place(one.schema, column.before)),
    DiffRow.values(of)(column => TableDiff.place(other.schema, column.after, one.schema.size))
  )

  private def reader(
      side: DiffSide,
      slices: Seq[FileSlice],
      names: Seq[String],
      conditions: Seq[Expression]
  ): SideReader = {
    val needed = names ++ conditions.flatMap(_.references).map(_.name)
    val columns = side.columns.filter(column => needed.contains(column.name))
    val schema = StructType(MetaColumns.schema(MetaFields.RecordKey) +: columns)
    val factory = SliceReader.factory(
      session,
      side.config,
      MetaColumns.before(side.declared),
      schema,
      if (slices.forall(_.isOnlyBase)) conditions.flatMap(FilterTranslation.translate).toArray
      else Array.empty,
      strict = true,
      logs = Some(side.table.snapshot)
    )
    val condition = conditions.reduceOption[Expression](And(_, _)).map(_.transform {
      case column: Attribute => TableDiff.place(schema, column.name)
    })
    SideReader(factory, schema, condition)
  }
}

object TableDiff extends PredicateHelper {

  /** Most tasks of a comparison by buckets. */
  private val mostTasks = 1000

  /** Returns the comparison of two states.
    * @param asked names of the columns to compare; None: all that both states have
    * @param where SQL condition: of both states, only the rows are compared that pass it
    * Errors: HUDILITE_ARGUMENT_INVALID for other keys, for a column that one state does not have or
    * whose values cannot be compared, and for a condition that is wrong in one of them. */
  def of(
      session: SparkSession,
      before: DiffSide,
      after: DiffSide,
      asked: Option[Seq[String]],
      where: Option[String]
  ): TableDiff = {
    val identity = RowIdentity.of(before, after)
    val columns = ComparedColumns.of(before, after, asked)
    def conditions(side: DiffSide) = where.toSeq.flatMap { text =>
      splitConjunctivePredicates(PartitionFilter.condition(
        session,
        text,
        side.columns,
        reason =>
          InvalidArgument("diff", "where", text,
            s"Write a condition on columns of ${side.table.name}, as after WHERE. $reason")
      ))
    }
    val ofAfter = conditions(after)
    val ofBefore = if (before.columns == after.columns) ofAfter else conditions(before)
    new TableDiff(session, before, after, columns, identity, (ofBefore, ofAfter))
  }

  private def place(schema: StructType, name: String, first: Int = 0): BoundReference = {
    val i = schema.fieldIndex(name)
    BoundReference(first + i, schema(i).dataType, nullable = true)
  }
}
