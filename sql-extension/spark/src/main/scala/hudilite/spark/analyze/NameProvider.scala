package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.command.{CreateTableLikeCommand, ResetCommand, SetCommand}

import hudilite.spark.catalog.PropertyRules
import hudilite.spark.plan.{HudiProvider, NewTableFormat}

/** Rule that gives tables with USING hudi the provider hudilite, if the session says that it means
  * that. Where OPTIONS and TBLPROPERTIES of a hudilite table state one fact, the option goes: Spark
  * would put it in the place of the property. Runs before Spark looks the provider up, and in a
  * session with Hive, whose analyzer leaves out the rules for hints, with the other rules.
  *
  * Errors: HUDILITE_PROVIDER_UNSET, HUDILITE_PROVIDER_TAKEN. */
object NameProvider extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case _: SetCommand | _: ResetCommand => plan // they may mend the setting
    case _ =>
      HudiProvider.checkAlone()
      plan.resolveOperators {
        case create: CreateTable =>
          create.copy(tableSpec = named(create.name, create.tableSpec))
        case create: CreateTableAsSelect =>
          create.copy(tableSpec = named(create.name, create.tableSpec))
        case replace: ReplaceTable =>
          replace.copy(tableSpec = named(replace.name, replace.tableSpec))
        case replace: ReplaceTableAsSelect =>
          replace.copy(tableSpec = named(replace.name, replace.tableSpec))
        case like: CreateTableLikeCommand =>
          like.copy(provider = like.provider.map(HudiProvider.named))
      }
  }

  private def named(name: LogicalPlan, spec: TableSpecBase): TableSpecBase = spec match {
    case declared: UnresolvedTableSpec =>
      val provider = providerOf(name, declared.provider, declared.serde.isEmpty)
      val options = declared.optionExpression.options
      val left = prevailing(provider, options, declared.properties)
      declared.copy(provider = provider, optionExpression = OptionList(left))
    case resolved: TableSpec => // a session with Hive runs no rule before this one
      val provider = providerOf(name, resolved.provider, resolved.serde.isEmpty)
      val left = prevailing(provider, resolved.options.toSeq, resolved.properties)
      resolved.copy(provider = provider, options = left.toMap)
    case other => other
  }

  private def providerOf(
      name: LogicalPlan,
      stated: Option[String],
      hasNoSerde: Boolean
  ): Option[String] = {
    val ofSession = Some(conf.defaultDataSourceName).filter(HudiProvider.isHudi)
      .filter(_ => hasNoSerde && NewTableFormat.takesDefault(name))
    stated.orElse(ofSession).map(HudiProvider.named)
  }

  private def prevailing[A](
      provider: Option[String],
      options: Seq[(String, A)],
      properties: Map[String, String]
  ): Seq[(String, A)] =
    if (provider.exists(HudiProvider.isOurs)) PropertyRules.prevailing(options, properties.keys)
    else options
}
