ThisBuild / organization := "io.hudilite"
ThisBuild / version := {
  val Line = "__version__ = \"(.+)\"".r
  val lines = IO.readLines(file("python/src/hudilite/version.py"))
  lines.collectFirst { case Line(version) => version }.get
}
ThisBuild / scalaVersion := SparkLine.main.scala

ThisBuild / semanticdbEnabled := true
ThisBuild / semanticdbVersion := "4.13.10"

lazy val compilerOptions = Seq(
  "-deprecation",
  "-feature",
  "-unchecked",
  "-release:17", // texts are joined by one instruction
  "-opt:l:method",
  "-Wconf:msg=InlineInfoAttribute:s", // the optimizer cannot read one class of Spark, and goes without
  "-Xlint",
  "-Wunused",
  "-Wdead-code",
  "-Werror"
)

/** Whether a mutant is tried (tests/tools/mutants.py), which may leave a name unused. */
lazy val isMutant = sys.env.contains("HUDILITE_MUTANT")

/** The sources of a project and the libraries around them. Only the main line is held to be without warnings.
  * The type is written down: scalac takes minutes to find it. */
def room(line: SparkLine, folder: String): Seq[Def.Setting[_]] = Seq[Def.Setting[_]](
  scalaVersion := line.scala,
  scalacOptions ++= compilerOptions.filter(line.isMain && !isMutant || _ != "-Werror"),
  javacOptions ++= Seq("--release", "17"),
  dependencyOverrides ++= line.overrides,
  semanticdbEnabled := line.isMain,
  Compile / sourceDirectory := (ThisBuild / baseDirectory).value / folder / "src" / "main"
) ++ (if (line.isMain) tested(folder.split('/').last) else Seq(Test / sources := Nil))

/** Every test of a project lies under tests/unit/<project>; Spark needs these opens on JDK 17 and 21. */
def tested(project: String): Seq[Def.Setting[_]] = Seq(
  Test / scalaSource := (ThisBuild / baseDirectory).value / "tests" / "unit" / project,
  Test / resourceDirectory := (ThisBuild / baseDirectory).value / "tests" / "unit" / project / "resources",
  Test / fork := true,
  Test / javaOptions ++=
    Seq("-Xmx2g", "-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m") ++
      Seq("-XX:+UseSerialGC", "-Duser.timezone=UTC") ++ sparkOpens,
  Test / parallelExecution := false,
  libraryDependencies += "org.scalatest" %% "scalatest" % "3.2.19" % Test
)

lazy val sparkOpens = Seq(
  "java.lang",
  "java.lang.invoke",
  "java.lang.reflect",
  "java.io",
  "java.net",
  "java.nio",
  "java.util",
  "java.util.concurrent",
  "java.util.concurrent.atomic",
  "sun.nio.ch",
  "sun.nio.cs",
  "sun.security.action",
  "sun.util.calendar"
).flatMap(p => Seq("--add-opens", s"java.base/$p=ALL-UNNAMED"))

lazy val jars = taskKey[Seq[File]]("A jar for each line of Spark")
lazy val jar =
  taskKey[Seq[File]]("The jar for the main line alone; the others stay as they are")
lazy val checkLibraries =
  taskKey[Unit]("Fails unless we compile against the jars inside the installed pyspark")

def plainJar(line: SparkLine, projects: Seq[Project]) = Def.task {
  PlainJar.write(
    projects.map(_ / Compile / products).join.value.flatten,
    (ThisBuild / baseDirectory).value / "target" / s"hudilite-spark-${line.minor}.jar",
    streams.value.log
  )
}

lazy val root = (project in file("."))
  .aggregate(core, spark, procedures)
  .settings(
    name := "hudilite",
    publish / skip := true,
    Test / test / aggregate := false,
    Test / test := (procedures / Test / test).value,
    jars / aggregate := false,
    jars := PlainJar.only(
      Seq(
        plainJar(SparkLine.main, Seq(core, spark, procedures)).value,
        plainJar(SparkLine.next, Seq(coreNext, sparkNext, proceduresNext)).value
      ),
      jarFolder.value
    ),
    jar / aggregate := false,
    jar := PlainJar.copied(
      Seq(plainJar(SparkLine.main, Seq(core, spark, procedures)).value),
      jarFolder.value
    ),
    checkLibraries / aggregate := false,
    checkLibraries := SparkLibraries.check(
      (procedures / Compile / dependencyClasspath).value.files ++
        (core / Compile / dependencyClasspath).value.files,
      baseDirectory.value / ".venv",
      streams.value.log
    )
  )

lazy val jarFolder = Def.setting {
  (ThisBuild / baseDirectory).value / "python" / "src" / "hudilite" / "jars"
}

def coreOf(line: SparkLine) = Project(line.project("core"), line.base("sql-extension/core"))
  .settings(room(line, "sql-extension/core"))
  .settings(
    name := "hudilite-core",
    libraryDependencies ++= line.ofSpark("spark-common-utils", "spark-unsafe") ++ Seq(
      "org.apache.hadoop:hadoop-client-api",
      "org.apache.hadoop:hadoop-client-runtime",
      "org.apache.parquet:parquet-hadoop",
      "org.apache.avro:avro",
      "com.fasterxml.jackson.core:jackson-databind",
      "joda-time:joda-time"
    ).map(line.library)
  )

/** Shims, what differs between the lines, lie beside the common sources. */
def sparkOf(line: SparkLine, core: Project) =
  Project(line.project("spark"), line.base("sql-extension/spark"))
    .dependsOn(core % "compile->compile;test->test")
    .settings(room(line, "sql-extension/spark"))
    .settings(
      name := "hudilite-spark",
      Compile / unmanagedSourceDirectories +=
        (Compile / sourceDirectory).value / s"spark-${line.minor}",
      libraryDependencies ++= line.ofSpark("spark-sql") ++ Seq(
        "org.apache.hive:hive-common",
        "org.apache.hive:hive-metastore",
        "org.apache.thrift:libthrift",
        "joda-time:joda-time"
      ).map(line.library(_).intransitive())
    )

def proceduresOf(line: SparkLine, spark: Project) =
  Project(line.project("procedures"), line.base("procedures"))
    .dependsOn(spark % "compile->compile;test->test")
    .settings(room(line, "procedures"))
    .settings(
      name := "hudilite-procedures",
      libraryDependencies ++= line.ofSpark("spark-sql") :+ line.library("joda-time:joda-time")
    )

lazy val core = coreOf(SparkLine.main).settings(
  Test / unmanagedSourceDirectories +=
    (ThisBuild / baseDirectory).value / "tests" / "faults" / "java"
)
lazy val spark = sparkOf(SparkLine.main, core)
lazy val procedures = proceduresOf(SparkLine.main, spark).settings(
  // The tests of all three run here, in one JVM and with one Spark.
  Test / definedTests ++= (core / Test / definedTests).value ++ (spark / Test / definedTests).value
)

lazy val coreNext = coreOf(SparkLine.next)
lazy val sparkNext = sparkOf(SparkLine.next, coreNext)
lazy val proceduresNext = proceduresOf(SparkLine.next, sparkNext)
