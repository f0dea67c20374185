import org.objectweb.asm.{
  AnnotationVisitor,
  Attribute,
  ClassReader,
  ClassVisitor,
  ClassWriter,
  Opcodes
}
import sbt._
import sbt.util.Logger

/** The jar that the Python wheel carries: the classes and resources of the three projects, nothing else. */
object ThinJar {
  private val limitBytes = 1024 * 1024
  private val services = Set(
    "META-INF/services/org.apache.spark.sql.sources.DataSourceRegister",
    "META-INF/services/hudilite.spark.catalog.ProcedureProvider"
  )

  /** Joins the class folders into one jar, the same bytes for the same classes.
    *
    * Signatures for the Scala compiler are left out, a fifth of the jar: nothing is compiled against it.
    * @param folders what each project compiled to
    * @param scratch an own folder, emptied first
    * @param target  the jar; any other jar in its folder is removed
    * @return target; fails on a file that two projects have, a service we do not offer, or more than 1 MB */
  def write(folders: Seq[File], scratch: File, target: File, log: Logger): File = {
    val entries = folders.flatMap(Path.allSubpaths).filter(_._1.isFile).sortBy(_._2)
    val twice = entries.groupBy(_._2).collect { case (name, files) if files.size > 1 => name }
    must(twice.isEmpty, s"two projects have ${twice.mkString(", ")}")
    val foreign = entries.map(_._2).filter(n => n.startsWith("META-INF/services/") && !services(n))
    must(foreign.isEmpty, s"not a service of ours: ${foreign.mkString(", ")}")

    IO.delete((target.getParentFile * "*.jar").get)
    IO.delete(scratch)
    IO.jar(entries.map(thin(scratch)), target, new java.util.jar.Manifest, Some(0L))
    target.setLastModified(System.currentTimeMillis)
    must(target.length <= limitBytes, s"$target has ${target.length} bytes, more than $limitBytes")
    log.info(s"${target.getName}: ${entries.size} files, ${target.length} bytes")
    target
  }

  private def thin(scratch: File)(entry: (File, String)): (File, String) = {
    val (file, name) = entry
    if (!name.endsWith(".class")) entry
    else {
      val writer = new ClassWriter(0)
      new ClassReader(IO.readBytes(file)).accept(new WithoutSignature(writer), 0)
      IO.write(scratch / name, writer.toByteArray)
      scratch / name -> name
    }
  }

  private class WithoutSignature(writer: ClassWriter) extends ClassVisitor(Opcodes.ASM9, writer) {
    private val signatures =
      Set("Lscala/reflect/ScalaSignature;", "Lscala/reflect/ScalaLongSignature;")

    override def visitAnnotation(descriptor: String, visible: Boolean): AnnotationVisitor =
      if (signatures(descriptor)) null else super.visitAnnotation(descriptor, visible)

    override def visitAttribute(attribute: Attribute): Unit =
      if (!Set("ScalaSig", "Scala", "ScalaInlineInfo")(attribute.`type`))
        super.visitAttribute(attribute)
  }

  private def must(holds: Boolean, fault: => String): Unit =
    if (!holds) throw new MessageOnlyException(fault)
}
