package hudilite.spark.catalog

import java.util.{Locale, ServiceLoader}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure

import hudilite.error.HudiliteException

/** Brings procedures to CALL; found by ServiceLoader. */
trait ProcedureProvider {

  /** Procedures by their names, lower case.
    * @param catalog the catalog that CALL names: it finds the tables of the arguments */
  def procedures(catalog: TableCatalog): Map[String, UnboundProcedure]
}

object ProcedureProvider {

  /** Where procedures are listed. Spark puts the current database before a bare name, so any one
    * namespace finds them.
    */
  val namespace = "system"

  def names(catalog: TableCatalog): Seq[String] = all(catalog).keys.toSeq.sorted

  /** Errors: HUDILITE_PROCEDURE_NOT_FOUND, which names those there are. */
  def find(catalog: TableCatalog, namespace: Seq[String], name: String): UnboundProcedure =
    Option.when(namespace.size <= 1)(name.toLowerCase(Locale.ROOT))
      .flatMap(all(catalog).get)
      .getOrElse {
        throw HudiliteException(
          "HUDILITE_PROCEDURE_NOT_FOUND",
          "procedure" -> (namespace :+ name).mkString("."),
          "known" -> names(catalog).mkString(", ")
        )
      }

  private def all(catalog: TableCatalog): Map[String, UnboundProcedure] =
    providers.flatMap(_.procedures(catalog)).toMap

  private lazy val providers: Seq[ProcedureProvider] =
    ServiceLoader
      .load(classOf[ProcedureProvider], classOf[ProcedureProvider].getClassLoader)
      .asScala
      .toSeq
}
