package hudilite.error

import java.util.{Map => JavaMap}

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._

import org.apache.spark.{ConditionException, QueryContext}

/** Exception of every error that hudilite raises at run time: a condition of
  * hudilite-conditions.json with the values of its parameters. PySpark shows it as a
  * SparkRuntimeException with this condition and its SQLSTATE.
  * @param condition  a name in [[Conditions.all]]
  * @param parameters a value for each `<name>` in the condition's text
  * @param cause      the exception of Spark, Hadoop or the JVM that caused this error, if any */
final class HudiliteException(
    val condition: String,
    val parameters: Map[String, String],
    cause: Throwable = HudiliteException.noCause
) extends ConditionException(Conditions.message(condition, parameters), cause) {
  override def getMessage: String = HudiliteException.text(condition, parameters)
  override def getCondition: String = condition
  override def getErrorClass: String = condition
  override def getSqlState: String = Conditions.sqlState(condition)
  override def isInternalError: Boolean = false
  override def getDefaultMessageTemplate: String = Conditions.template(condition)
  override def getMessageParameters: JavaMap[String, String] = parameters.asJava
  override def getQueryContext: Array[QueryContext] = Array.empty
}

object HudiliteException {
  private[hudilite] def noCause: Throwable = Option.empty[Throwable].orNull

  /** Creates an error without a cause. */
  def apply(condition: String, parameters: (String, String)*): HudiliteException =
    new HudiliteException(condition, parameters.toMap)

  /** Returns the text of an error in the form of Spark's own errors: `[CONDITION] what happened,
    * where, what to do. SQLSTATE: xxxxx`. */
  def text(condition: String, parameters: Map[String, String]): String =
    s"[$condition] ${Conditions.message(condition, parameters)} " +
      s"SQLSTATE: ${Conditions.sqlState(condition)}"

  /** Finds the hudilite error in the exception of a failed Spark job.
    * @return the first one in the chain of causes, or None */
  def find(thrown: Throwable): Option[HudiliteException] =
    causes(thrown).collectFirst { case ours: HudiliteException => ours }

  /** Returns an exception and its causes, each once: a chain of causes may be a circle. */
  def causes(thrown: Throwable): Seq[Throwable] = {
    @tailrec def chain(next: Throwable, found: Vector[Throwable]): Seq[Throwable] =
      Option(next) match {
        case Some(e) if !found.exists(_ eq e) => chain(e.getCause, found :+ e)
        case _ => found
      }
    chain(thrown, Vector.empty)
  }
}
