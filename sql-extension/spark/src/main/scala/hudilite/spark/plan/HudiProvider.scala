package hudilite.spark.plan

import java.util.concurrent.atomic.AtomicReference

import scala.util.Try

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.execution.datasources.DataSource
import org.apache.spark.sql.internal.SQLConf

import hudilite.spark.error.AnalysisErrors

/** Provider names of USING and `format(..)` that mean hudilite: its own, and `hudi` if the session
  * setting [[HudiProvider.setting]] is true. Spark finds a data source by the names that the jars on
  * the class path register, and only then by a class with the name: that is why stock Hudi's source
  * is always found first. */
object HudiProvider {
  val hudilite: String = "hudilite"
  val hudi: String = "hudi"

  val setting: String = "spark.hudilite.provider.hudi"

  /** Class that Spark takes for `hudi` if no jar registers that name. */
  private val standIn = "hudi.DefaultSource"

  /** Whether the session says that `hudi` means hudilite.
    * Errors: HUDILITE_SETTING_INVALID. */
  def isAsked: Boolean = Setting.word(SQLConf.get, setting) == "true"

  /** Whether a table with this provider is a hudilite table. */
  def isOurs(provider: String): Boolean =
    provider.equalsIgnoreCase(hudilite) || isHudi(provider) && isAsked

  /** Returns the provider of a table that is declared with one.
    * Errors: HUDILITE_PROVIDER_UNSET. */
  def named(provider: String): String =
    if (!isHudi(provider)) provider
    else if (isAsked) hudilite
    else if (isNobodys(provider)) throw unset("USING hudi", "USING hudilite")
    else hudi

  /** Whether the provider is `hudi`, and neither stock Hudi is on the class path nor does the session
    * say that the name means hudilite. */
  def isNobodys(provider: String): Boolean =
    isHudi(provider) && !isAsked && owner.contains(standIn)

  /** Errors: HUDILITE_PROVIDER_TAKEN if the session says that `hudi` means hudilite, and another jar
    * on the class path registers the name. */
  def checkAlone(): Unit =
    if (isAsked) {
      val loader = Thread.currentThread.getContextClassLoader
      if (checked.get.forall(_ ne loader))
        owner.filterNot(_ == standIn).fold(checked.set(Some(loader)))(other =>
          throw AnalysisErrors.of("HUDILITE_PROVIDER_TAKEN", "owner" -> other)
        )
    }

  /** Class loader in which no jar registers `hudi`: looking that up takes milliseconds. */
  private val checked = new AtomicReference(Option.empty[ClassLoader])

  /** Error for a use of `hudi` that the session has not asked for.
    * @param name    how the statement names it
    * @param instead how it names hudilite */
  def unset(name: String, instead: String): AnalysisException =
    AnalysisErrors.of("HUDILITE_PROVIDER_UNSET", "name" -> name, "instead" -> instead)

  def isHudi(provider: String): Boolean = provider.equalsIgnoreCase(hudi)

  /** Returns the class that Spark takes for `hudi`. */
  private def owner: Option[String] =
    Try(DataSource.lookupDataSource(hudi, SQLConf.get).getName).toOption
}
