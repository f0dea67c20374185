import java.util.jar.Manifest

import sbt._
import sbt.util.Logger

/** The jar that the Python wheel carries: the classes and resources of the three projects, nothing else. */
object PlainJar {
  private val limitBytes = 8 * 1024 * 1024
  private val services = Set(
    "META-INF/services/org.apache.spark.sql.sources.DataSourceRegister",
    "META-INF/services/hudilite.spark.catalog.ProcedureProvider"
  )

  /** Joins class folders into one jar; equal classes give equal bytes.
    * @param folders output folders of the projects' compilers
    * @param target  the jar
    * @return target
    * Fails on a file that two projects have, on a service that is not ours, and above 8 MB. */
  def write(folders: Seq[File], target: File, log: Logger): File = {
    val entries = folders.flatMap(Path.allSubpaths).filter(_._1.isFile)
    val twice = entries.groupBy(_._2).collect { case (name, files) if files.size > 1 => name }
    must(twice.isEmpty, s"two projects have ${twice.mkString(", ")}")
    val foreign = entries.map(_._2).filter(n => n.startsWith("META-INF/services/") && !services(n))
    must(foreign.isEmpty, s"not a service of ours: ${foreign.mkString(", ")}")

    val manifest = new Manifest
    manifest.getMainAttributes.putValue("Manifest-Version", "1.0"): Unit
    IO.jar(entries.sortBy(_._2), target, manifest, time = Some(0L))
    must(target.length <= limitBytes, s"$target has ${target.length} bytes, more than $limitBytes")
    log.info(s"${target.getName}: ${entries.size} files, ${target.length} bytes")
    target
  }

  /** Copies jars into a folder and deletes every other jar there. */
  def only(jars: Seq[File], folder: File): Seq[File] = {
    IO.delete((folder * "*.jar").get)
    copied(jars, folder)
  }

  /** Copies jars into a folder. */
  def copied(jars: Seq[File], folder: File): Seq[File] = {
    IO.createDirectory(folder)
    jars.map { jar =>
      IO.copyFile(jar, folder / jar.getName)
      folder / jar.getName
    }
  }

  private def must(holds: Boolean, fault: => String): Unit =
    if (!holds) throw new MessageOnlyException(fault)
}
