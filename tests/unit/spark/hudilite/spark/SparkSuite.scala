package hudilite.spark

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.execution.CommandExecutionMode
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException

/** A suite with a session that has hudilite as extension and as `spark_catalog`.
  *
  * One session serves all suites of a JVM; each suite has a database of its own, dropped with its
  * files afterwards. */
trait SparkSuite extends AnyFunSuite with BeforeAndAfterAll {

  protected lazy val spark: SparkSession = SparkSuite.session

  /** Folder of this suite alone. */
  protected lazy val folder: Path = Files.createTempDirectory("hudilite-suite")

  private lazy val database = getClass.getSimpleName.toLowerCase(java.util.Locale.ROOT)

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql(s"CREATE DATABASE IF NOT EXISTS $database LOCATION '${folder.resolve("db").toUri}'")
    spark.sql(s"USE $database")
    ()
  }

  override protected def afterAll(): Unit = {
    spark.sql("USE default")
    spark.sql(s"DROP DATABASE IF EXISTS $database CASCADE")
    SparkSuite.deleteTree(folder)
    super.afterAll()
  }

  protected def sql(text: String): DataFrame = spark.sql(text)

  /** Runs a test with settings of the session, which it has not otherwise. */
  protected def withConf(pairs: (String, String)*)(body: => Any): Unit = {
    pairs.foreach { case (key, value) => spark.conf.set(key, value) }
    try body: Unit
    finally pairs.foreach { case (key, _) => spark.conf.unset(key) }
  }

  /** Plan after analysis; nothing runs. */
  protected def analyzed(text: String): LogicalPlan = {
    val parsed = spark.sessionState.sqlParser.parsePlan(text)
    spark.sessionState.executePlan(parsed, CommandExecutionMode.SKIP).analyzed
  }

  /** The condition and parameters that a statement fails with. */
  protected def fault(body: => Any): (String, Map[String, String]) = {
    val thrown = intercept[Throwable](body)
    causes(thrown)
      .collectFirst {
        case ours: HudiliteException => (ours.condition, ours.parameters)
        case analysis: AnalysisException =>
          (analysis.getCondition, analysis.messageParameters)
        case other: SparkThrowable => (other.getCondition, Map.empty[String, String])
      }
      .getOrElse(throw thrown)
  }

  /** Asserts a condition and some of its parameters. */
  protected def assertFault(condition: String, parameters: (String, String)*)(
      body: => Any
  ): Unit = {
    val (found, values) = fault(body)
    assert(found == condition, values)
    parameters.foreach { case (name, value) => assert(values.get(name).contains(value), values) }
  }

  /** Paths of all files and folders below a folder, sorted. */
  protected def filesBelow(root: Path): Seq[String] =
    Using.resource(Files.walk(root))(_.iterator.asScala.map(_.toString).toVector.sorted)

  /** Data files of an instant below a table's folder, and their marker files. */
  protected def filesOf(base: Path, instant: String): Seq[String] =
    filesBelow(base).filter(n => n.contains(s"_$instant.parquet") && !n.endsWith(".crc"))

  private def causes(thrown: Throwable): LazyList[Throwable] =
    LazyList.unfold(Option(thrown))(_.map(t => (t, Option(t.getCause).filter(_ ne t))))
}

object SparkSuite {

  private lazy val session: SparkSession = {
    val warehouse = Files.createTempDirectory("hudilite-warehouse")
    sys.addShutdownHook(deleteTree(warehouse))
    SparkSession
      .builder()
      .master("local[2]")
      .appName("hudilite-tests")
      .config("spark.sql.extensions", "hudilite.spark.HudiliteExtensions")
      .config("spark.sql.catalog.spark_catalog", "hudilite.spark.HudiliteCatalog")
      .config("spark.sql.catalog.other", "hudilite.spark.HudiliteCatalog")
      .config("spark.sql.warehouse.dir", warehouse.toUri.toString)
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "4")
      .config("spark.driver.host", "localhost")
      .config("spark.driver.bindAddress", "127.0.0.1")
      .getOrCreate()
  }

  def deleteTree(root: Path): Unit =
    if (Files.exists(root))
      Using.resource(Files.walk(root)) { paths =>
        paths.sorted(java.util.Comparator.reverseOrder[Path]).forEach(p => Files.delete(p))
      }
}
