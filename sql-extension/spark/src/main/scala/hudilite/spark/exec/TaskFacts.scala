package hudilite.spark.exec

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.internal.SQLConf

import hudilite.format.{MergeOrder, MetaSchema}
import hudilite.spark.merge.{LogLimits, MergeReaders, MergeTaskFacts, SplitLimits}
import hudilite.spark.plan.{KeyText, WriteSettings}
import hudilite.spark.write.{FileLayout, PendingWrite}
import hudilite.view.FileSlice

/** Facts of a write statement that its tasks need (created on the driver). */
object TaskFacts {

  /** Returns the facts for the tasks of one execution.
    * @param write      instant that the tasks write under
    * @param fileGroups file groups by partition, as the statement numbers them; None if the table
    *                   has buckets
    * @param source     attributes of a tagged row */
  def of(
      statement: WriteStatement,
      write: PendingWrite,
      fileGroups: Option[Map[String, IndexedSeq[FileSlice]]],
      source: Seq[Attribute]
  ): MergeTaskFacts = {
    import statement.{pruning, session, snapshot, spansPartitions, spec, table, target}
    val config = table.config
    val readers = new MergeReaders(session, table, snapshot, spec, target, source)
    MergeTaskFacts(
      write = write,
      tableUuid = config.uuid,
      isKeyless = config.isKeyless,
      complexKey = config.complexKey,
      spec = spec,
      target = target,
      source = source,
      newPartition = partitionOf(statement),
      schema = table.schema,
      stored = table.storedSchema,
      avroSchema = MetaSchema.prepend(table.avroSchema(snapshot)),
      layout = FileLayout.of(session.sessionState.conf, config),
      factory = readers.whole,
      matchSchema = readers.matchSchema,
      matchFactory = readers.ofMatch(pruning.filters(spansPartitions)),
      changeSchema = readers.changeSchema,
      changeFactory = readers.ofChanges,
      keys = readers.keys,
      split = SplitLimits(
        WriteSettings.of(session.sessionState.conf).splitAbove,
        session.sessionState.conf.getConf(SQLConf.LEAF_NODE_DEFAULT_PARALLELISM)
          .getOrElse(session.sparkContext.defaultParallelism)
      ),
      updated = readers.updated,
      takesSource = readers.takesSource,
      allColumns = readers.all,
      changedColumns = readers.changed,
      partitions = if (spansPartitions) Some(pruning.partitions) else None,
      replaces = spec.replaces.nonEmpty,
      seeksEverywhere = config.seeksEverywhere,
      sharesFolders = config.dateFields.nonEmpty,
      appends = Option.when(
        config.isMergeOnRead && spec.replaces.isEmpty &&
          table.storedSchema.size == table.schema.size
      )(LogLimits(snapshot.number)),
      isBlind = statement.isBlind,
      ordering = Option.when(MergeOrder.of(config) == MergeOrder.EventTime)(config.orderingFields),
      shared = if (fileGroups.isEmpty) statement.forTasks else statement.shared(fileGroups)
    )
  }

  /** Returns an expression for the partition path of a row of the table. */
  private def partitionOf(statement: WriteStatement): Expression = {
    val config = statement.table.config
    val byName = statement.target.map(a => a.name -> a).toMap
    KeyText.partitionPath(config, config.partitionFields.map(byName))
  }
}
