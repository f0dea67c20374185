package hudilite.spark

import org.apache.spark.sql.SparkSessionExtensions

import hudilite.spark.analyze.{
  AddNewColumns,
  CheckHudilite,
  CheckRows,
  LowerCreateLike,
  LowerDelete,
  LowerInsert,
  LowerMerge,
  LowerOverwrite,
  LowerPartitionDelete,
  LowerReplaceTable,
  LowerSave,
  LowerUpdate,
  NameProvider,
  ResolveIncremental,
  TimeTravelToInstant
}
import hudilite.spark.catalog.SessionParts
import hudilite.spark.command.LowerTableCommand
import hudilite.spark.exec.{HudiliteStrategy, PreviewInExplain}
import hudilite.spark.functions.TableFunctions
import hudilite.spark.parse.HudiliteParser
import hudilite.spark.read.{LinkReads, UngroupScans}
import hudilite.spark.stream.KeepStreamColumns

/** Session extension, set with `spark.sql.extensions=hudilite.spark.HudiliteExtensions`. Injects
  * the parser, the analyzer and physical plan rules, table functions and the planner strategy. */
final class HudiliteExtensions extends (SparkSessionExtensions => Unit) {

  override def apply(extensions: SparkSessionExtensions): Unit = {
    SessionParts.demandClassPath()
    extensions.injectParser((_, delegate) => new HudiliteParser(delegate))
    extensions.injectHintResolutionRule(_ => NameProvider) // before anything is resolved
    extensions.injectResolutionRule(_ => NameProvider)
    extensions.injectResolutionRule(_ => TimeTravelToInstant)
    extensions.injectResolutionRule(session => LowerTableCommand(session))
    extensions.injectResolutionRule(_ => LowerSave)
    extensions.injectResolutionRule(_ => LowerPartitionDelete)
    extensions.injectResolutionRule(_ => LowerReplaceTable)
    extensions.injectResolutionRule(session => LowerCreateLike(session))
    extensions.injectResolutionRule(session => CheckHudilite(session))
    extensions.injectResolutionRule(_ => LowerInsert)
    extensions.injectResolutionRule(_ => LowerOverwrite)
    extensions.injectResolutionRule(_ => LowerMerge)
    extensions.injectResolutionRule(_ => LowerUpdate)
    extensions.injectResolutionRule(_ => LowerDelete)
    extensions.injectResolutionRule(session => CheckRows(session))
    extensions.injectResolutionRule(_ => ResolveIncremental)
    extensions.injectResolutionRule(_ => KeepStreamColumns)
    extensions.injectResolutionRule(_ => AddNewColumns) // once all others have resolved the rows
    extensions.injectResolutionRule(_ => PreviewInExplain)
    TableFunctions.inject(extensions)
    extensions.injectPlannerStrategy(session => new HudiliteStrategy(session))
    extensions.injectQueryStagePrepRule(_ => LinkReads)
    extensions.injectColumnar(_ => UngroupScans)
  }
}
