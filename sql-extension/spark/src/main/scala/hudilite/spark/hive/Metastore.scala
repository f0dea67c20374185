package hudilite.spark.hive

import scala.util.control.NonFatal

import org.apache.hadoop.hive.conf.HiveConf
import org.apache.hadoop.hive.metastore.{IMetaStoreClient, RetryingMetaStoreClient}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.StaticSQLConf
import org.apache.thrift.TException

import hudilite.error.HudiliteException

/** Access to the Hive metastore of a session's catalog, with Hive's own client. Spark's client
  * would load the format classes that an entry names, and only Hudi's jars contain them; Hive's
  * client handles them as text. Runs on the driver. */
private[hive] object Metastore {
  private val jars = "spark.sql.hive.metastore.jars"
  private val foreignClient = "hive.metastore.client.factory.class"

  /** Runs some calls with a new client, and closes it.
    * Errors: HUDILITE_HIVE_SYNC_FAILED if a call fails, or if the session's catalog is not in a
    * metastore that Spark's built-in Hive client supports. */
  def call[A](session: SparkSession, target: HiveTarget)(calls: IMetaStoreClient => A): A = {
    check(session, target)
    // Spark's client initializes an embedded metastore; Hive's client would reject a new one.
    session.sharedState.externalCatalog.databaseExists(session.catalog.currentDatabase): Unit
    val conf = new HiveConf(session.sessionState.newHadoopConf(), classOf[HiveConf])
    // An embedded metastore would list the files for statistics, old versions included.
    conf.setBoolVar(HiveConf.ConfVars.HIVESTATSAUTOGATHER, false)
    val client =
      try RetryingMetaStoreClient.getProxy(conf, true)
      catch { case NonFatal(e) => throw failed(target, e) }
    try calls(client)
    catch { case e: TException => throw failed(target, e) }
    finally client.close()
  }

  private def failed(target: HiveTarget, fault: Throwable): HudiliteException = {
    val causes = Iterator.iterate(fault)(_.getCause).takeWhile(_ != null).toSeq
    val said = causes.flatMap(cause => Option(cause.getMessage)).lastOption
      .flatMap(_.linesIterator.nextOption()).map(_.trim)
    target.failed(
      said.getOrElse(fault.getClass.getSimpleName).stripSuffix("."),
      "Check the metastore, and run CALL hive_sync(table => '...') again.",
      fault
    )
  }

  private def check(session: SparkSession, target: HiveTarget): Unit = {
    val conf = session.sparkContext.getConf
    val key = StaticSQLConf.CATALOG_IMPLEMENTATION.key
    if (conf.get(key, "in-memory") != "hive")
      throw target.failed(
        "the session uses an in-memory catalog",
        s"Start a session with --conf $key=hive and the metastore's settings."
      )
    if (conf.get(jars, "builtin") != "builtin")
      throw target.failed(
        s"$jars is ${conf.get(jars)}",
        "Run it in a session with Spark's built-in Hive client."
      )
    Option(session.sessionState.newHadoopConf().get(foreignClient)).foreach { name =>
      throw target.failed(
        s"$foreignClient is $name",
        "Register the Hudi table with the tools of that catalog."
      )
    }
  }
}
