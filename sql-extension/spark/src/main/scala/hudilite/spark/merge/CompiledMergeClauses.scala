package hudilite.spark.merge

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BasePredicate,
  Expression,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.error.HudiliteException
import hudilite.format.PartitionPath
import hudilite.spark.plan.{InsertClause, KeyText, RecordKeyOf}

/** Clauses of a statement, compiled for one task (task side).
  *
  * @param oldRow        attributes of an old row as this pass reads it
  * @param taskPartition number of the task's RDD partition
  * @param updated       numbers of the columns that UPDATE clauses return, in the order of the table
  * @param takesSource   whether they return the source row instead
  */
final class CompiledMergeClauses(
    facts: MergeTaskFacts,
    oldRow: Seq[Attribute],
    taskPartition: Int,
    updated: Seq[Int],
    takesSource: Boolean = false
) {
  private val spec = facts.spec
  private val samePartition = spec.samePartition.map(compiled)
  private val residual = spec.residual.map(compiled)
  // Rows that are marked as deleted may have NULL in any column.
  private val path =
    UnsafeProjection.create(Seq(facts.newPartition), facts.target.map(_.withNullability(true)))
  private lazy val pathOfUpdated =
    UnsafeProjection.create(Seq(facts.newPartition), updated.map(facts.target))

  private lazy val keys =
    UnsafeProjection.create(spec.sourceKey.map(KeyText.expression), facts.source)

  val matched: CompiledClauses[OldRowClause] =
    CompiledClauses.ofOldRows(spec.matchedIfNewer, oldRow ++ facts.source, taskPartition, updated,
      takesSource)
  val notMatched: CompiledClauses[CompiledInsert] =
    CompiledClauses.ofSourceRows(spec.notMatched, facts.source, taskPartition)
  val notMatchedBySource: CompiledClauses[OldRowClause] =
    CompiledClauses.ofOldRows(spec.notMatchedBySource, oldRow, taskPartition, updated)

  /** Whether a key may be in one partition only, and does not determine which one. */
  val seeksEverywhere: Boolean = facts.seeksEverywhere
  val movesPartition: Boolean = spec.movesPartition
  val matchIsError: Boolean = spec.matchIsError

  /** Whether a source row may be marked as deleted, so that it is not inserted. */
  val mayDrop: Boolean = spec.notMatched.exists {
    case insert: InsertClause => insert.drops
    case _ => false
  }

  /** Error condition when two source rows change one row. */
  val repeated: String =
    if (spec.operation == "INSERT") KeyViolations.DuplicateKey else KeyViolations.Cardinality

  /** Whether several source rows may match one row. */
  val deletesMatches: Boolean = spec.deletesMatches

  /** Whether the rest of ON is true for an old row and a source row of the same key and folder.
    * Partition values are compared only in the folder that null and the empty text share, and if
    * folders are dates: no other folder contains rows of different partition values.
    */
  def isMatch(row: InternalRow, partition: UTF8String): Boolean =
    residual.forall(_.eval(row)) && (!isShared(partition) || samePartition.forall(_.eval(row)))

  private def isShared(partition: UTF8String): Boolean =
    facts.sharesFolders || partition.contains(CompiledMergeClauses.sharedFolder)

  /** Returns the error for a source row without a record key that is to be inserted. */
  def keyFault(row: UnsafeRow): HudiliteException = {
    val texts = keys(row)
    val names = spec.keyColumns.map(_.name).toArray
    val values = names.indices.map(i => if (texts.isNullAt(i)) null else texts.getUTF8String(i))
    RecordKeyOf.fault(values.toArray, names, facts.complexKey, facts.write.table)
  }

  /** Whether a row to insert belongs in another partition than the one where its key was looked up.
    * Then another row has its key, and the insert is a duplicate. */
  def isBarred(values: UnsafeRow, partition: UTF8String): Boolean =
    seeksEverywhere && partitionOf(values) != partition

  /** Returns a key for error messages: with the partition where it was found, if it may be in
    * any. */
  def shownKey(key: UTF8String, partition: UTF8String): UTF8String =
    if (seeksEverywhere) UTF8String.fromString(s"$key in $partition") else key

  /** Returns the partition path of a row of the table. */
  def partitionOf(values: UnsafeRow): UTF8String = path(values).getUTF8String(0).clone()

  /** Returns the partition path of the values that an UPDATE clause returns. */
  def partitionOfUpdated(values: UnsafeRow): UTF8String =
    pathOfUpdated(values).getUTF8String(0).clone()

  private def compiled(condition: Expression): BasePredicate =
    CompiledClauses.predicate(condition, oldRow ++ facts.source, taskPartition)
}

object CompiledMergeClauses {

  /** Clauses whose UPDATE clauses return the values of a patch, see [[ReencodedColumns.updated]]. */
  def ofPatches(facts: MergeTaskFacts, taskPartition: Int): CompiledMergeClauses =
    new CompiledMergeClauses(facts, facts.matchRow, taskPartition, facts.updated,
      facts.takesSource)

  private val sharedFolder = UTF8String.fromString(PartitionPath.DefaultValue)
}
