import org.objectweb.asm.{ClassReader, ClassVisitor, Handle, MethodVisitor, Opcodes}

/** What any class of the jar calls or takes a handle of, and what its texts name: generated code
  * calls methods by `class.method(`, and some are looked up by their bare name.
  * @param calls `class.method`
  * @param texts every text in the code */
final case class Asked(calls: Set[String], texts: Set[String]) {
  private val spelled = texts.filter(_.contains("hudilite.")).mkString(" ")

  def apply(owner: String, name: String): Boolean =
    calls(s"$owner.$name") || texts(name) ||
      spelled.contains(s"${owner.replace('/', '.')}.$name(")
}

object Asked {
  def of(classes: Seq[Array[Byte]]): Asked = {
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
    classes.foreach(new ClassReader(_).accept(reader, 0))
    Asked(calls.result(), texts.result())
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
}
