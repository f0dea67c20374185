ThisBuild / organization := "io.hudilite"
ThisBuild / version := {
  val Line = "version = \"(.+)\"".r
  IO.readLines(file("python/pyproject.toml")).collectFirst { case Line(version) => version }.get
}
ThisBuild / scalaVersion := "2.13.17"

val sparkVersion = "4.1.3"
val sparkMinor = sparkVersion.split('.').take(2).mkString(".")

ThisBuild / semanticdbEnabled := true
ThisBuild / semanticdbVersion := "4.13.10"

lazy val compilerOptions = Seq(
  "-deprecation",
  "-feature",
  "-g:line", // names of local variables would be a tenth of the jar
  "-unchecked",
  "-release:17", // texts are joined by one instruction
  "-opt:l:method",
  "-Wconf:msg=InlineInfoAttribute:s", // the optimizer cannot read one class of Spark, and goes without
  "-Xmixin-force-forwarders:false", // the JVM finds the methods of traits by itself
  "-Xlint",
  "-Wunused",
  "-Wdead-code",
  "-Werror"
)

/** What our dependencies bring along, at the versions inside pyspark; `checkLibraries` says when one is missing here. */
ThisBuild / dependencyOverrides ++= Seq(
  "org.scala-lang" % "scala-library" % "2.13.17",
  "org.scala-lang" % "scala-reflect" % "2.13.17",
  "com.github.luben" % "zstd-jni" % "1.5.7-6",
  "com.google.code.findbugs" % "jsr305" % "3.0.0",
  "com.google.guava" % "failureaccess" % "1.0.3",
  "com.google.guava" % "guava" % "33.4.8-jre",
  "commons-io" % "commons-io" % "2.21.0",
  "commons-pool" % "commons-pool" % "1.5.4",
  "io.airlift" % "aircompressor" % "2.0.3",
  "org.apache.commons" % "commons-lang3" % "3.19.0",
  "org.xerial.snappy" % "snappy-java" % "1.1.10.8"
)

/** Every test of a project lies under tests/unit/<project>; Spark needs these opens on JDK 17 and 21. */
def room(project: String) = Seq(
  scalacOptions ++= compilerOptions,
  javacOptions ++= Seq("--release", "17"),
  Test / scalaSource := (ThisBuild / baseDirectory).value / "tests" / "unit" / project,
  Test / resourceDirectory := (ThisBuild / baseDirectory).value / "tests" / "unit" / project / "resources",
  Test / fork := true,
  Test / javaOptions ++=
    Seq("-Xmx2g", "-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m") ++
      Seq("-Duser.timezone=UTC") ++ sparkOpens,
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

lazy val jar = taskKey[File]("The one thin jar, written where the Python wheel carries it")
lazy val checkLibraries =
  taskKey[Unit]("Fails unless we compile against the jars inside the installed pyspark")

lazy val root = (project in file("."))
  .aggregate(core, spark, procedures)
  .settings(
    name := "hudilite",
    publish / skip := true,
    jar / aggregate := false,
    jar := ThinJar.write(
      Seq(core, spark, procedures).map(_ / Compile / products).join.value.flatten,
      baseDirectory.value / "python" / "src" / "hudilite" / "jars" / s"hudilite-spark-$sparkMinor.jar",
      streams.value.log
    ),
    checkLibraries / aggregate := false,
    checkLibraries := SparkLibraries.check(
      (procedures / Compile / dependencyClasspath).value.files ++
        (core / Compile / dependencyClasspath).value.files,
      baseDirectory.value / ".venv",
      streams.value.log
    )
  )

lazy val core = (project in file("sql-extension/core"))
  .settings(room("core"))
  .settings(
    name := "hudilite-core",
    Test / unmanagedSourceDirectories +=
      (ThisBuild / baseDirectory).value / "tests" / "faults" / "java",
    libraryDependencies ++= Seq(
      "org.apache.spark" %% "spark-common-utils" % sparkVersion % Provided,
      "org.apache.spark" %% "spark-unsafe" % sparkVersion % Provided,
      "org.apache.hadoop" % "hadoop-client-api" % "3.4.2" % Provided,
      "org.apache.hadoop" % "hadoop-client-runtime" % "3.4.2" % Provided,
      "org.apache.parquet" % "parquet-hadoop" % "1.16.0" % Provided,
      "org.apache.avro" % "avro" % "1.12.1" % Provided,
      "com.fasterxml.jackson.core" % "jackson-databind" % "2.21.2" % Provided
    )
  )

lazy val spark = (project in file("sql-extension/spark"))
  .dependsOn(core % "compile->compile;test->test")
  .settings(room("spark"))
  .settings(
    name := "hudilite-spark",
    Compile / unmanagedSourceDirectories +=
      baseDirectory.value / "src" / "main" / s"spark-$sparkMinor",
    libraryDependencies += "org.apache.spark" %% "spark-sql" % sparkVersion % Provided
  )

lazy val procedures = (project in file("procedures"))
  .dependsOn(spark % "compile->compile;test->test")
  .settings(room("procedures"))
  .settings(
    name := "hudilite-procedures",
    libraryDependencies += "org.apache.spark" %% "spark-sql" % sparkVersion % Provided
  )
