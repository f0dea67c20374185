package hudilite.spark.catalog

import java.util.{Locale, ServiceLoader}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure

import hudilite.error.HudiliteException

/** Brings procedures to CALL; found by ServiceLoader. */
trait ProcedureProvider {

  /** Procedures by their names, lower case. */
  def procedures: Map[String, UnboundProcedure]
}

object ProcedureProvider {

  /** Where procedures are listed. Spark puts the current database before a bare name, so any one
    * namespace finds them.
    */
  val namespace = "system"

  def names: Seq[String] = all.keys.toSeq.sorted

  /** Errors: HUDILITE_PROCEDURE_NOT_FOUND, which names those there are. */
  def find(namespace: Seq[String], name: String): UnboundProcedure =
    Option.when(namespace.size <= 1)(name.toLowerCase(Locale.ROOT))
      .flatMap(all.get)
      .getOrElse {
        throw HudiliteException(
          "HUDILITE_PROCEDURE_NOT_FOUND",
          "procedure" -> (namespace :+ name).mkString("."),
          "known" -> names.mkString(", ")
        )
      }

  private lazy val all: Map[String, UnboundProcedure] =
    ServiceLoader
      .load(classOf[ProcedureProvider], classOf[ProcedureProvider].getClassLoader)
      .asScala
      .flatMap(_.procedures)
      .toMap
}
