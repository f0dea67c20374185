package hudilite.spark.catalog

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.{SQLConf, StaticSQLConf}

import hudilite.error.HudiliteException
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.plan.NewTableFormat

/** Checks that a session has both hudilite's extension and its catalog, and that a Thrift server
  * has the jar on the class path where its sessions look for it. The errors name the missing part
  * and the setting that adds it. */
object SessionParts {
  private val condition = "HUDILITE_SESSION_NOT_READY"
  private val thriftServer = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
  private val catalogs = "spark.sql.catalog."
  private val catalogClass = "hudilite.spark.HudiliteCatalog"
  private val extension = "hudilite.spark.HudiliteExtensions"

  /** Name of Spark's own catalog. */
  val sessionCatalog: String = NewTableFormat.sessionCatalog

  /** Marker of an analyzer rule that the extension injects: a session with it has the extension. */
  trait OfExtension

  /** Errors: HUDILITE_SESSION_NOT_READY in a session without the extension. */
  def demandExtension(session: SparkSession): Unit = {
    val rules = session.sessionState.analyzer.extendedResolutionRules
    if (!rules.exists(_.isInstanceOf[OfExtension])) {
      val key = StaticSQLConf.SPARK_SESSION_EXTENSIONS.key
      throw AnalysisErrors.of(
        condition,
        "missing" -> s"$key lacks $extension",
        "settings" -> s"--conf $key=$extension"
      )
    }
  }

  /** Returns the name of a table in statements of a session: with its catalog, unless that is the
    * current one. */
  def nameIn(session: SparkSession, catalog: String, name: Seq[String]): String = {
    val current = session.sessionState.catalogManager.currentCatalog.name
    (Option.when(current != catalog)(catalog) ++: name).map(quoteIfNeeded).mkString(".")
  }

  /** Name of a catalog configured as HudiliteCatalog; of several, spark_catalog if it is one. */
  def ownCatalog(conf: SQLConf): Option[String] =
    conf.getAllConfs.collect {
      case (key, `catalogClass`) if isCatalog(key) => key.stripPrefix(catalogs)
    }.toSeq.sortBy(name => (name != sessionCatalog, name)).headOption

  /** Error for a hudilite table to be created in a catalog other than HudiliteCatalog. */
  def foreignCatalog(name: String, conf: SQLConf): AnalysisException =
    ownCatalog(conf) match {
      case Some(own) =>
        AnalysisErrors.of(
          "HUDILITE_UNSUPPORTED_STATEMENT",
          "statement" -> "CREATE TABLE ... USING hudilite",
          "table" -> s"catalog $name",
          "fix" -> s"Use the catalog $own, which is a HudiliteCatalog: CREATE TABLE $own.database.name."
        )
      case None =>
        AnalysisErrors.of(
          condition,
          "missing" -> s"the catalog $name is not a HudiliteCatalog",
          "settings" -> s"--conf $catalogs$name=$catalogClass"
        )
    }

  /** Errors: HUDILITE_SESSION_NOT_READY in a Thrift server whose jar came with `--jars` alone. */
  def demandClassPath(): Unit = {
    val own = getClass.getClassLoader
    val isServer = System.getProperty("sun.java.command", "").contains(thriftServer)
    if (isServer && own != ClassLoader.getSystemClassLoader) {
      val jar = new Path(getClass.getProtectionDomain.getCodeSource.getLocation.toURI)
      throw HudiliteException(
        condition,
        "missing" -> "its jar is not on the class path of the driver, where JDBC sessions need it",
        "settings" -> s"--driver-class-path ${jar.getName}"
      )
    }
  }

  private def isCatalog(key: String): Boolean =
    key.startsWith(catalogs) && !key.stripPrefix(catalogs).contains('.')
}
