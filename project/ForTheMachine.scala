import org.objectweb.asm.{
  AnnotationVisitor,
  Attribute,
  ClassReader,
  ClassVisitor,
  ClassWriter,
  FieldVisitor,
  Label,
  MethodVisitor,
  Opcodes
}

/** A class without what only a compiler reads, and without what the compiler made and nobody asks for. */
object ForTheMachine {

  /** @param ours names of all classes of ours
    * @param asked what they ask for */
  def of(bytes: Array[Byte], ours: Set[String], asked: Asked): Array[Byte] = {
    val writer = new ClassWriter(0)
    new ClassReader(bytes).accept(new Thinner(writer, ours, asked), 0)
    writer.toByteArray
  }

  /** Rooms without a class that holds a function and is sent to a task; the way back from bytes is left out. */
  private val atHome = Seq("error", "format", "index", "io", "timeline", "verify", "view") ++
    Seq("analyze", "catalog", "parse", "plan").map(room => s"spark/$room")

  /** Names of a case class's fields, which nobody asks for; Product's own answer is "". */
  private val unasked = Set("productElementName", "productElementNames")

  private final class Thinner(writer: ClassWriter, ours: Set[String], asked: Asked)
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
      if (ours(name)) super.visitInnerClass(name, outer, inner, access)

    /** Who may extend it is what a compiler asks. */
    override def visitPermittedSubclass(name: String): Unit = ()

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

  /** The compiler goes back and forth between the lines of one statement; a stack trace names one of them. */
  private class EachLineOnce(writer: MethodVisitor) extends MethodVisitor(Opcodes.ASM9, writer) {
    private var last = 0

    /** Names of parameters and, whatever the compiler is told, of the variables of static doors. */
    override def visitParameter(name: String, access: Int): Unit = ()
    override def visitLocalVariable(
        name: String,
        descriptor: String,
        signature: String,
        start: Label,
        end: Label,
        index: Int
    ): Unit = ()

    override def visitLineNumber(line: Int, start: Label): Unit =
      if (line > last) {
        last = line
        super.visitLineNumber(line, start)
      }
  }
}
