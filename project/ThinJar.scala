import sbt._
import sbt.util.Logger

/** The jar that the Python wheel carries: the classes and resources of the three projects, nothing else. */
object ThinJar {
  private val limitBytes = 2048 * 1024
  private val manifest =
    "META-INF/MANIFEST.MF" -> "Manifest-Version: 1.0\r\n\r\n".getBytes("US-ASCII")
  private val services = Set(
    "META-INF/services/org.apache.spark.sql.sources.DataSourceRegister",
    "META-INF/services/hudilite.spark.catalog.ProcedureProvider"
  )

  /** Joins the class folders into one jar, the same bytes for the same classes.
    *
    * What only a compiler reads is left out, and what nothing reaches: nothing is compiled against it.
    * @param folders what each project compiled to
    * @param target  the jar
    * @return target; fails on a file that two projects have, a service we do not offer, or more than 2 MB */
  def write(folders: Seq[File], target: File, log: Logger): File = {
    val entries = folders.flatMap(Path.allSubpaths).filter(_._1.isFile)
    val twice = entries.groupBy(_._2).collect { case (name, files) if files.size > 1 => name }
    must(twice.isEmpty, s"two projects have ${twice.mkString(", ")}")
    val foreign = entries.map(_._2).filter(n => n.startsWith("META-INF/services/") && !services(n))
    must(foreign.isEmpty, s"not a service of ours: ${foreign.mkString(", ")}")

    val (classes, others) = entries
      .map { case (file, name) => name -> IO.readBytes(file) }
      .partition(_._1.endsWith(".class"))
    val kept = thin(classes, others.map { case (_, bytes) => new String(bytes, "UTF-8") })
    val sorted = kept.map { case (name, bytes) => name -> SortedPool.of(bytes) }
    IO.createDirectory(target.getParentFile)
    IO.write(target, TightZip.of((manifest +: (others ++ sorted)).sortBy(_._1)))
    must(target.length <= limitBytes, s"$target has ${target.length} bytes, more than $limitBytes")
    log.info(
      s"${target.getName}: ${kept.size} of ${classes.size} classes, ${target.length} bytes"
    )
    target
  }

  /** Copies jars into a folder that then has no others. */
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

  /** Until nothing more falls away: what a class that is left out called may be left out too. */
  @scala.annotation.tailrec
  private def thin(
      classes: Seq[(String, Array[Byte])],
      texts: Seq[String]
  ): Seq[(String, Array[Byte])] = {
    val ours = classes.map(_._1.stripSuffix(".class")).toSet
    val asked = Asked.of(classes.map(_._2))
    val thinned = classes.map { case (name, bytes) =>
      name -> ForTheMachine.of(bytes, ours, asked)
    }
    val reached = Reached.from(thinned.map(_._2), texts)
    val kept = thinned.filter { case (name, _) => reached(name.stripSuffix(".class")) }
    if (kept.size == classes.size) kept else thin(kept, texts)
  }

  private def must(holds: Boolean, fault: => String): Unit =
    if (!holds) throw new MessageOnlyException(fault)
}
