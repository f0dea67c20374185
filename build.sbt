ThisBuild / organization := "io.hudilite"
ThisBuild / version := "0.1.0"
ThisBuild / scalaVersion := "2.13.17"

val sparkVersion = "4.1.3"

lazy val compilerOptions = Seq(
  "-deprecation",
  "-feature",
  "-unchecked",
  "-Xlint",
  "-Wunused",
  "-Wdead-code",
  "-Werror"
)

/** Every test of a project lies under tests/unit/<project>; Spark needs these opens on JDK 17 and 21. */
def room(project: String) = Seq(
  scalacOptions ++= compilerOptions,
  javacOptions ++= Seq("--release", "17"),
  Test / scalaSource := (ThisBuild / baseDirectory).value / "tests" / "unit" / project,
  Test / resourceDirectory := (ThisBuild / baseDirectory).value / "tests" / "unit" / project / "resources",
  Test / fork := true,
  Test / javaOptions ++= Seq("-Xmx2g", "-Duser.timezone=UTC") ++ sparkOpens,
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

lazy val core = (project in file("sql-extension/core"))
  .settings(room("core"))
  .settings(
    name := "hudilite-core",
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
      baseDirectory.value / "src" / "main" / s"spark-${sparkVersion.split('.').take(2).mkString(".")}",
    libraryDependencies += "org.apache.spark" %% "spark-sql" % sparkVersion % Provided
  )

lazy val procedures = (project in file("procedures"))
  .dependsOn(spark % "compile->compile;test->test")
  .settings(room("procedures"))
  .settings(
    name := "hudilite-procedures",
    libraryDependencies += "org.apache.spark" %% "spark-sql" % sparkVersion % Provided
  )
