package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.command.{CreateTableLikeCommand, ResetCommand, SetCommand}

import hudilite.spark.plan.HudiProvider

/** Rule that gives tables with USING hudi the provider hudilite, if the session says that it means
  * that. Runs before Spark looks the provider up.
  *
  * Errors: HUDILITE_PROVIDER_UNSET, HUDILITE_PROVIDER_TAKEN. */
object NameProvider extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case _: SetCommand | _: ResetCommand => plan // they may mend the setting
    case _ =>
      HudiProvider.checkAlone()
      plan.resolveOperators {
        case create: CreateTable => create.copy(tableSpec = named(create.tableSpec))
        case create: CreateTableAsSelect => create.copy(tableSpec = named(create.tableSpec))
        case replace: ReplaceTable => replace.copy(tableSpec = named(replace.tableSpec))
        case replace: ReplaceTableAsSelect => replace.copy(tableSpec = named(replace.tableSpec))
        case like: CreateTableLikeCommand =>
          like.copy(provider = like.provider.map(HudiProvider.named))
      }
  }

  private def named(spec: TableSpecBase): TableSpecBase = spec match {
    case declared: UnresolvedTableSpec =>
      val ofSession = Some(conf.defaultDataSourceName).filter(HudiProvider.isHudi)
      declared.copy(provider = declared.provider.orElse(ofSession).map(HudiProvider.named))
    case other => other
  }
}
