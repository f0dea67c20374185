import java.io.FileOutputStream
import java.util.zip.{Deflater, ZipEntry, ZipOutputStream}

import org.objectweb.asm.{
  AnnotationVisitor,
  Attribute,
  ClassReader,
  ClassVisitor,
  ClassWriter,
  FieldVisitor,
  Handle,
  Label,
  MethodVisitor,
  Opcodes
}
import sbt._
import sbt.util.Logger

/** The jar that the Python wheel carries: the classes and resources of the three projects, nothing else. */
object ThinJar {
  private val limitBytes = 1024 * 1024

  /** Rooms without a class that holds a function and is sent to a task; the way back from bytes is left out. */
  private val atHome = Seq("error", "io", "timeline", "verify")

  /** Names of a case class's fields, which nobody asks for; Product's own answer is "". */
  private val unasked = Set("productElementName", "productElementNames")
  private val sameTime = java.time.LocalDateTime.of(1980, 2, 1, 0, 0)
  private val services = Set(
    "META-INF/services/org.apache.spark.sql.sources.DataSourceRegister",
    "META-INF/services/hudilite.spark.catalog.ProcedureProvider"
  )

  /** Joins the class folders into one jar, the same bytes for the same classes.
    *
    * What only a compiler reads is left out, a fourth of the jar: nothing is compiled against it.
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
    val asked = Asked.of(entries.collect { case (file, name) if name.endsWith(".class") => file })
    pack(entries.map(thin(scratch, asked)), target)
    target.setLastModified(System.currentTimeMillis)
    must(target.length <= limitBytes, s"$target has ${target.length} bytes, more than $limitBytes")
    log.info(s"${target.getName}: ${entries.size} files, ${target.length} bytes")
    target
  }

  /** Without the folders and the long times that IO.jar writes. */
  private def pack(files: Seq[(File, String)], target: File): Unit = {
    IO.createDirectory(target.getParentFile)
    val out = new ZipOutputStream(new FileOutputStream(target))
    def put(name: String, bytes: Array[Byte]): Unit = {
      val entry = new ZipEntry(name)
      entry.setTimeLocal(sameTime)
      out.putNextEntry(entry)
      out.write(bytes)
    }
    try {
      out.setLevel(Deflater.BEST_COMPRESSION)
      put("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\n\r\n".getBytes("US-ASCII"))
      files.foreach { case (file, name) => put(name, IO.readBytes(file)) }
    } finally out.close()
  }

  private def thin(scratch: File, asked: Asked)(entry: (File, String)): (File, String) = {
    val (file, name) = entry
    if (!name.endsWith(".class")) entry
    else {
      val writer = new ClassWriter(0)
      new ClassReader(IO.readBytes(file)).accept(new ForTheMachine(writer, asked), 0)
      IO.write(scratch / name, writer.toByteArray)
      scratch / name -> name
    }
  }

  private class ForTheMachine(writer: ClassWriter, asked: Asked)
      extends ClassVisitor(Opcodes.ASM9, writer) {
    private var isAtHome = false
    private var owner = ""
    private val signatures =
      Set("Lscala/reflect/ScalaSignature;", "Lscala/reflect/ScalaLongSignature;")

    override def visitAnnotation(descriptor: String, visible: Boolean): AnnotationVisitor =
      if (signatures(descriptor)) null else super.visitAnnotation(descriptor, visible)

    override def visit(
        version: Int,
        access: Int,
        name: String,
        signature: String,
        parent: String,
        interfaces: Array[String]
    ): Unit = {
      owner = name
      isAtHome = atHome.exists(room => name.startsWith(s"hudilite/$room/"))
      super.visit(version, access, name, null, parent, interfaces)
    }

    /** A class must tell of its own inner classes alone. */
    override def visitInnerClass(name: String, outer: String, inner: String, access: Int): Unit =
      if (name.startsWith("hudilite/") || name.startsWith("org/apache/spark/sql/hudilite"))
        super.visitInnerClass(name, outer, inner, access)

    override def visitField(
        access: Int,
        name: String,
        descriptor: String,
        signature: String,
        value: Any
    ): FieldVisitor =
      super.visitField(access, name, descriptor, null, value.asInstanceOf[AnyRef])

    override def visitMethod(
        access: Int,
        name: String,
        descriptor: String,
        signature: String,
        exceptions: Array[String]
    ): MethodVisitor =
      if (isAtHome && name == "$deserializeLambda$" || unasked(name)) null
      else if (made(name, access) && !asked(owner, name)) null
      else new EachLineOnce(super.visitMethod(access, name, descriptor, null, exceptions))

    override def visitAttribute(attribute: Attribute): Unit =
      if (!Set("ScalaSig", "Scala", "ScalaInlineInfo")(attribute.`type`))
        super.visitAttribute(attribute)
  }

  /** Methods that the compiler makes whether or not they are used: those of a case class, default
    * arguments, and static doors to an object's methods. */
  private def made(name: String, access: Int): Boolean =
    ofCaseClasses(name) || name.contains("$default$") ||
      (access & Opcodes.ACC_STATIC) != 0 && name.head != '$' && name.head != '<'

  private val ofCaseClasses = Set("copy", "unapply", "tupled", "curried", "productIterator")

  /** What any class of the jar calls or takes a handle of, and what its texts name: generated code
    * calls methods by `class.method(`, and some are looked up by their bare name.
    * @param calls `class.method`
    * @param texts every text in the code */
  private final case class Asked(calls: Set[String], texts: Set[String]) {
    private val spelled = texts.filter(_.contains("hudilite.")).mkString(" ")

    def apply(owner: String, name: String): Boolean =
      calls(s"$owner.$name") || texts(name) ||
        spelled.contains(s"${owner.replace('/', '.')}.$name(")
  }

  private object Asked {
    def of(classes: Seq[File]): Asked = {
      val calls, texts = Set.newBuilder[String]
      val reader = new ClassVisitor(Opcodes.ASM9) {
        override def visitMethod(
            access: Int,
            name: String,
            descriptor: String,
            signature: String,
            exceptions: Array[String]
        ): MethodVisitor = new Calls(calls += _, texts += _)
      }
      classes.foreach(file => new ClassReader(IO.readBytes(file)).accept(reader, 0))
      Asked(calls.result(), texts.result())
    }
  }

  private class Calls(call: String => Unit, text: String => Unit)
      extends MethodVisitor(Opcodes.ASM9) {
    override def visitMethodInsn(
        opcode: Int,
        owner: String,
        name: String,
        descriptor: String,
        isInterface: Boolean
    ): Unit = call(s"$owner.$name")

    override def visitInvokeDynamicInsn(
        name: String,
        descriptor: String,
        bootstrap: Handle,
        arguments: AnyRef*
    ): Unit = arguments.foreach {
      case handle: Handle => call(s"${handle.getOwner}.${handle.getName}")
      case words: String => text(words)
      case _ => ()
    }

    override def visitLdcInsn(value: Any): Unit = value match {
      case words: String => text(words)
      case _ => ()
    }
  }

  /** The compiler goes back and forth between the lines of one statement; a stack trace names one of them. */
  private class EachLineOnce(writer: MethodVisitor) extends MethodVisitor(Opcodes.ASM9, writer) {
    private var last = 0

    /** Names of parameters. */
    override def visitParameter(name: String, access: Int): Unit = ()

    override def visitLineNumber(line: Int, start: Label): Unit =
      if (line > last) {
        last = line
        super.visitLineNumber(line, start)
      }
  }

  private def must(holds: Boolean, fault: => String): Unit =
    if (!holds) throw new MessageOnlyException(fault)
}
