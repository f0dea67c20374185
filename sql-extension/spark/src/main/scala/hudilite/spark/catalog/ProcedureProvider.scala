package hudilite.spark.catalog

import java.util.{Locale, ServiceLoader}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure

import hudilite.error.{HudiliteException, Suggestion}

/** Provider of procedures for CALL, loaded by ServiceLoader. */
trait ProcedureProvider {

  /** Procedures by their lower-case names.
    * @param catalog catalog of the CALL, in which procedures look up their table arguments */
  def procedures(catalog: TableCatalog): Map[String, UnboundProcedure]

  /** Names of other formats' procedures, with procedures that fail and say what to type instead. They
    * are not listed.
    * @param catalog as in [[procedures]] */
  def others(catalog: TableCatalog): Map[String, UnboundProcedure]
}

object ProcedureProvider {

  /** Namespace in which procedures are listed. Spark prepends the current database to a bare name,
    * so [[find]] accepts any namespace of one part.
    */
  val namespace = "system"

  def names(catalog: TableCatalog): Seq[String] = all(catalog).keys.toSeq.sorted

  /** Finds a procedure, or what stands for one of another format.
    * Errors: HUDILITE_PROCEDURE_NOT_FOUND, which names a similar procedure. */
  def find(catalog: TableCatalog, namespace: Seq[String], name: String): UnboundProcedure =
    Option.when(namespace.size <= 1)(name.toLowerCase(Locale.ROOT))
      .flatMap(asked => all(catalog).get(asked).orElse(others(catalog).get(asked)))
      .getOrElse {
        throw HudiliteException(
          "HUDILITE_PROCEDURE_NOT_FOUND",
          "procedure" -> (namespace :+ name).mkString("."),
          "fix" -> (s"Did you mean ${Suggestion.nearest(name, names(catalog))}? " +
            "SHOW PROCEDURES lists all.")
        )
      }

  private def all(catalog: TableCatalog): Map[String, UnboundProcedure] =
    providers.flatMap(_.procedures(catalog)).toMap

  private def others(catalog: TableCatalog): Map[String, UnboundProcedure] =
    providers.flatMap(_.others(catalog)).toMap

  private lazy val providers: Seq[ProcedureProvider] =
    ServiceLoader
      .load(classOf[ProcedureProvider], classOf[ProcedureProvider].getClassLoader)
      .asScala
      .toSeq
}
