import sbt._
import sbt.util.Logger

/** Holds the compile class path to the jars that users run: those inside the installed pyspark. */
object SparkLibraries {
  private val Versioned = """(.+?)-(\d[^/]*)\.jar""".r

  /** @param compile jars we compile against
    * @param venv    the environment that holds pyspark
    * Fails, naming each, when pyspark has such a library in another version. */
  def check(compile: Seq[File], venv: File, log: Logger): Unit = {
    val folder = (venv / "lib" * "python3*" / "site-packages" / "pyspark" / "jars").get.headOption
      .getOrElse(throw new MessageOnlyException(s"no pyspark in $venv: run make build"))
    val shipped = versions((folder * "*.jar").get).groupBy(_._1).map { case (name, all) =>
      name -> all.map(_._2).toSet
    }
    val (known, absent) = versions(compile).distinct.partition { case (name, _) =>
      shipped.contains(name)
    }
    val wrong = known.filterNot { case (name, version) =>
      shipped(name).exists(other => other == version || other.startsWith(s"$version-"))
    }
    if (wrong.nonEmpty)
      throw new MessageOnlyException(
        wrong
          .map { case (name, version) =>
            s"$name: build.sbt gives $version, pyspark has ${shipped(name).mkString(" and ")}"
          }
          .mkString("\n")
      )
    log.info(
      s"${known.size} libraries equal pyspark's; not in pyspark: ${absent.map(_._1).mkString(" ")}"
    )
  }

  private def versions(jars: Seq[File]): Seq[(String, String)] =
    jars.map(_.getName).collect { case Versioned(name, version) => name -> version }
}
