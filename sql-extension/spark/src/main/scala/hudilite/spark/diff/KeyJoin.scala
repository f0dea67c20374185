package hudilite.spark.diff

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.FileSourceOptions.{IGNORE_CORRUPT_FILES, IGNORE_MISSING_FILES}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.FullOuter
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Join, JoinHint, LogicalPlan, Project}
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.hudilite.PlanFrame
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.format.MetaFields
import hudilite.spark.plan.KeyText
import hudilite.spark.read.SlicesTable
import hudilite.view.FileSlice

/** Differences of two states by a full outer join of their rows, which Spark shuffles (driver side). It
  * needs no order of rows, and no buckets.
  * @param identity columns that make two rows the same row */
private[diff] final class KeyJoin(
    session: SparkSession,
    before: KeyJoin.Side,
    after: KeyJoin.Side,
    identity: Seq[String],
    columns: ComparedColumns
) {
  import KeyJoin._

  /** Counts the differences of each partition: that of the row after, or else of the row before. */
  def counts: Seq[DiffCounts] =
    frame(Alias(Coalesce(Seq(news.path, olds.path)), "partition")())
      .groupBy("partition", "kind").count().collect().toSeq.map { row =>
        def ofKind(kind: String) = if (row.getString(1) == kind) row.getLong(2) else 0L
        DiffCounts(row.getString(0), ofKind(DiffRow.inserted), ofKind(DiffRow.updated),
          ofKind(DiffRow.deleted))
      }

  /** Returns some differences as [[DiffRow]]s. */
  def rows(most: Int): Seq[InternalRow] = {
    val values = Seq(olds, news).flatMap(_.shown).zipWithIndex.map { case (value, i) =>
      Alias(value, s"value_$i")()
    }
    frame(values: _*).limit(most).queryExecution.toRdd.map(_.copy()).collect().toSeq
  }

  private lazy val (olds, news) =
    (read(session, before, identity, columns, _.before),
      read(session, after, identity, columns,
        _.after))

  /** Returns a row with a kind and some values for each difference. */
  private def frame(values: Alias*): DataFrame = {
    val same = olds.identity.zip(news.identity).map { case (one, other) =>
      EqualNullSafe(one, other)
    }
    val joined = Join(olds.plan, news.plan, FullOuter, same.reduceOption[Expression](And(_, _)),
      JoinHint.NONE)
    val kind = CaseWhen(
      Seq(
        IsNull(olds.isThere) -> Literal(DiffRow.inserted),
        IsNull(news.isThere) -> Literal(DiffRow.deleted),
        DiffRow.differs(olds.compared, news.compared) -> Literal(DiffRow.updated)
      )
    )
    val kinded = Project(Alias(kind, "kind")() +: values, joined)
    PlanFrame.of(session, Filter(IsNotNull(kinded.output.head), kinded))
  }
}

private[diff] object KeyJoin {

  /** Read options with which a missing or damaged file always fails, whatever the session sets. */
  private val strict =
    new CaseInsensitiveStringMap(
      Seq(IGNORE_MISSING_FILES, IGNORE_CORRUPT_FILES).map(_ -> "false").toMap.asJava
    )

  /** State with the slices to read.
    * @param conditions on its columns */
  final case class Side(of: DiffSide, slices: Seq[FileSlice], conditions: Seq[Expression])

  /** Plan of the rows of a state, and what the join needs of it, which is NULL for a row that it does
    * not have. */
  private final case class Rows(
      plan: LogicalPlan,
      identity: Seq[Attribute],
      path: Attribute,
      isThere: Attribute,
      compared: Seq[Attribute],
      shown: Seq[Attribute]
  )

  private def read(
      session: SparkSession,
      side: Side,
      identity: Seq[String],
      columns: ComparedColumns,
      nameOf: ComparedColumn => String
  ): Rows = {
    val table = side.of.table
    val slices = new SlicesTable(session, table.name, side.of.declared, table.snapshot, side.slices)
    val relation = DataSourceV2Relation.create(slices, None, None, strict)
    val column = relation.output.map(of => of.name -> of).toMap
    val kept = side.conditions.map(_.transform { case of: Attribute => column(of.name) })
      .reduceOption[Expression](And(_, _)).fold[LogicalPlan](relation)(Filter(_, relation))
    val config = side.of.config
    val path =
      if (config.hasMetaFields) column(MetaFields.PartitionPath)
      else KeyText.partitionPath(config, config.partitionFields.map(column))
    def named(values: Seq[Expression]) = values.map(Alias(_, "value")())
    def of(columns: Seq[ComparedColumn]) = named(DiffRow.values(columns)(c => column(nameOf(c))))
    val (keys, places) = (named(identity.map(column)), named(Seq(path, Literal.TrueLiteral)))
    val (compared, shown) = (of(columns.compared), of(columns.shown))
    def seen(values: Seq[Alias]) = values.map(_.toAttribute.withNullability(true))
    Rows(
      Project(keys ++ places ++ compared ++ shown, kept),
      seen(keys),
      seen(places).head,
      seen(places).last,
      seen(compared),
      seen(shown)
    )
  }
}
