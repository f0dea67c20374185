import sbt._

/** A minor version of Spark, and the libraries inside its pyspark that a jar for it is compiled against.
  * @param spark     release
  * @param scala     its Scala library
  * @param libraries what else we compile against and what that brings along, `organization:name` to version */
final case class SparkLine(spark: String, scala: String, libraries: Map[String, String]) {
  val minor: String = spark.split('.').take(2).mkString(".")

  def isMain: Boolean = this == SparkLine.main

  /** Name of a project: those of the main line have the short ones. */
  def project(name: String): String = if (isMain) name else s"$name-${minor.replace('.', '-')}"

  /** Where a project's classes go; the sources are the same for all lines. */
  def base(sources: String): File =
    if (isMain) file(sources) else file("target") / s"spark-$minor" / sources.replace('/', '-')

  def library(name: String): ModuleID = {
    val Array(organization, module) = name.split(':')
    organization % module % libraries(name) % Provided
  }

  def ofSpark(names: String*): Seq[ModuleID] =
    names.map(name => "org.apache.spark" % s"${name}_2.13" % spark % Provided)

  /** What our dependencies bring along, at the versions inside pyspark; `checkLibraries` says when one is missing. */
  def overrides: Seq[ModuleID] =
    (libraries ++ Seq("library", "reflect").map(name =>
      s"org.scala-lang:scala-$name" -> scala
    )).toSeq
      .map { case (name, version) => name.split(':').toList -> version }
      .collect { case (List(organization, module), version) => organization % module % version }
}

object SparkLine {

  /** The line that is tested whole. */
  val main: SparkLine = SparkLine(
    "4.1.3",
    "2.13.17",
    Map(
      "com.fasterxml.jackson.core:jackson-databind" -> "2.21.2",
      "com.github.luben:zstd-jni" -> "1.5.7-6",
      "com.google.code.findbugs:jsr305" -> "3.0.0",
      "com.google.guava:failureaccess" -> "1.0.3",
      "com.google.guava:guava" -> "33.4.8-jre",
      "commons-io:commons-io" -> "2.21.0",
      "commons-pool:commons-pool" -> "1.5.4",
      "io.airlift:aircompressor" -> "2.0.3",
      "joda-time:joda-time" -> "2.14.0",
      "org.apache.avro:avro" -> "1.12.1",
      "org.apache.commons:commons-lang3" -> "3.19.0",
      "org.apache.hadoop:hadoop-client-api" -> "3.4.2",
      "org.apache.hadoop:hadoop-client-runtime" -> "3.4.2",
      "org.apache.hive:hive-common" -> "2.3.10",
      "org.apache.hive:hive-metastore" -> "2.3.10",
      "org.apache.parquet:parquet-hadoop" -> "1.16.0",
      "org.apache.thrift:libthrift" -> "0.16.0",
      "org.xerial.snappy:snappy-java" -> "1.1.10.8"
    )
  )

  val next: SparkLine = SparkLine(
    "4.2.0",
    "2.13.18",
    main.libraries ++ Map(
      "com.github.luben:zstd-jni" -> "1.5.7-7",
      "com.google.guava:guava" -> "33.6.0-jre",
      "commons-io:commons-io" -> "2.22.0",
      "org.apache.commons:commons-lang3" -> "3.20.0",
      "org.apache.hadoop:hadoop-client-api" -> "3.5.0",
      "org.apache.hadoop:hadoop-client-runtime" -> "3.5.0",
      "org.apache.parquet:parquet-hadoop" -> "1.17.0"
    )
  )
}
