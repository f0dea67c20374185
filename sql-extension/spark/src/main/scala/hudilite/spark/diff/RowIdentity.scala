package hudilite.spark.diff

import hudilite.error.HudiliteException
import hudilite.format.TableConfig
import hudilite.spark.error.InvalidArgument
import hudilite.spark.plan.KeyText

/** Columns by which a row of one state and one of the other are the same row. In both tables a key is
  * unique within its partition, so a row that has moved to another partition is another row. */
private[diff] sealed trait RowIdentity

private[diff] object RowIdentity {

  /** Record key and partition path, as both tables store them.
    * @param inBuckets whether both tables put a key into the bucket of the same number */
  final case class Stored(inBuckets: Boolean) extends RowIdentity

  /** Values of columns that both tables have. */
  final case class ByColumns(names: Seq[String]) extends RowIdentity

  /** Errors: HUDILITE_ARGUMENT_INVALID for tables without a key, with other keys, or with keys that are
    * unique only within partitions that the other table does not have. */
  def of(before: DiffSide, after: DiffSide): RowIdentity = {
    val (one, other) = (before.config, after.config)
    val stored = one.hasMetaFields && other.hasMetaFields
    if (before.isSameTable(after) && stored)
      Stored(inBuckets = one.hasBuckets && haveOneRule(before, after))
    else {
      checkKeys(before, after)
      val keys = other.recordKeyFields
      val partitions = other.partitionFields
      val alike = one.partitionFields == partitions &&
        before.typesOf(partitions) == after.typesOf(partitions)
      if (alike && stored && haveSameTexts(before, after))
        Stored(inBuckets = one.hasBuckets && one.index == other.index && haveOneRule(before, after))
      else if (alike) ByColumns((keys ++ partitions).distinct)
      else {
        Seq(before, after).foreach(checkUnique)
        ByColumns(keys)
      }
    }
  }

  /** Whether all partitions have the number of buckets that the tables declare: stock Hudi may have rules
    * for single partitions. */
  private def haveOneRule(before: DiffSide, after: DiffSide): Boolean =
    Seq(before, after).forall(_.table.snapshot.bucketRules.isEmpty)

  private def checkKeys(before: DiffSide, after: DiffSide): Unit = {
    Seq(before, after).find(!_.config.hasKeyColumns).foreach { side =>
      throw refused(before,
        s"Table ${side.table.name} has no key columns. " +
          "Write a table whose rows have a primary key.")
    }
    val keys = Seq(before, after).map { side =>
      side.config.recordKeyFields.map(name =>
        side.columns.find(_.name == name).fold(name)(field =>
          s"$name ${field.dataType.sql}"
        )
      ).mkString("(", ", ", ")")
    }
    if (keys.distinct.size > 1)
      throw refused(
        before,
        s"Its key is ${keys.head}, that of ${after.table.name} is ${keys(1)}. " +
          "Write a table with the same key columns, in the same order and of the same types."
      )
  }

  private def checkUnique(side: DiffSide): Unit =
    if (!isUnique(side.config)) {
      val config = side.config
      throw refused(
        side,
        s"The key of ${side.table.name} is unique within a partition " +
          s"(${config.partitionFields.mkString(", ")}), and the other table has other partition " +
          "columns. Write a table with the same partition columns."
      )
    }

  /** Whether a key occurs once in the whole table. */
  private def isUnique(config: TableConfig): Boolean =
    config.isGlobalIndex || config.partitionFields.forall(config.recordKeyFields.contains)

  /** Whether equal keys have the same text, and equal partitions the same path, in tables with the same
    * key and partition columns. */
  private def haveSameTexts(before: DiffSide, after: DiffSide): Boolean = {
    val (one, other) = (before.config, after.config)
    val isKnown = Seq(one, other).forall(config =>
      config.isGeneratorKnown && !config.isKeyEncodingUncertain &&
        config.partitionFields.forall(config.hasFolderRule)
    )
    val keys = before.typesOf(one.recordKeyFields)
    isKnown && one.complexKey == other.complexKey && keys.flatten.forall(KeyText.supports) &&
    one.hiveStyle == other.hiveStyle && one.urlEncode == other.urlEncode &&
    one.partitionFields.map(one.dateFolder) == other.partitionFields.map(other.dateFolder)
  }

  private def refused(side: DiffSide, fix: String): HudiliteException =
    InvalidArgument("diff", "other", side.table.name, fix)
}
