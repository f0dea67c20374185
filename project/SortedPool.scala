import org.objectweb.asm.{ClassReader, ClassWriter}

/** The same class with its constants in the order of their kinds and texts, which deflates by a thirtieth better. */
object SortedPool {
  def of(bytes: Array[Byte]): Array[Byte] = {
    val reader = new ClassReader(bytes)
    val writer = new ClassWriter(0)
    val pool = new Pool(bytes, reader)
    (1 until reader.getItemCount)
      .filter(reader.getItem(_) > 0)
      .flatMap(index => pool.constant(index, writer))
      .sortBy(constant => (constant.kind, constant.text))
      .foreach(_.add())
    reader.accept(writer, 0)
    writer.toByteArray
  }

  /** Every text of a class: names, descriptors and literals. */
  def texts(bytes: Array[Byte]): Seq[String] = {
    val reader = new ClassReader(bytes)
    val pool = new Pool(bytes, reader)
    (1 until reader.getItemCount).collect {
      case index if reader.getItem(index) > 0 && pool.tag(index) == 1 => pool.utf8(index)
    }
  }

  /** @param kind where its kind stands among the kinds
    * @param add  gives it the next place in the new class, unless it has one */
  private final case class Constant(kind: Int, text: String, add: () => Unit)

  private class Pool(bytes: Array[Byte], reader: ClassReader) {
    private val buffer = new Array[Char](reader.getMaxStringLength)

    def tag(index: Int): Int = bytes(reader.getItem(index) - 1).toInt

    def utf8(index: Int): String = {
      val from = reader.getItem(index)
      val stream = new java.io.ByteArrayInputStream(bytes, from, bytes.length - from)
      new java.io.DataInputStream(stream).readUTF()
    }

    /** None for what ASM places itself: handles, and calls by bootstrap methods. */
    def constant(index: Int, writer: ClassWriter): Option[Constant] = {
      val item = reader.getItem(index)
      tag(index) match {
        case 1 => Some(Constant(0, utf8(index), () => writer.newUTF8(utf8(index))))
        case 3 | 4 | 5 | 6 =>
          val number = reader.readConst(index, buffer)
          Some(Constant(1, f"${tag(index)}%d $index%05d", () => writer.newConst(number)))
        case 8 =>
          val words = reader.readUTF8(item, buffer)
          Some(Constant(2, words, () => writer.newConst(words)))
        case 7 =>
          val name = reader.readUTF8(item, buffer)
          Some(Constant(3, name, () => writer.newClass(name)))
        case 12 =>
          val (name, descriptor) = nameAndType(item)
          Some(Constant(4, s"$name $descriptor", () => writer.newNameType(name, descriptor)))
        case member @ (9 | 10 | 11) => Some(ofClass(member, item, writer))
        case _ => None
      }
    }

    private def ofClass(member: Int, item: Int, writer: ClassWriter): Constant = {
      val owner = reader.readClass(item, buffer)
      val (name, descriptor) = nameAndType(reader.getItem(reader.readUnsignedShort(item + 2)))
      def add(): Unit =
        if (member == 9) writer.newField(owner, name, descriptor)
        else writer.newMethod(owner, name, descriptor, member == 11)
      Constant(member, s"$owner $name $descriptor", () => add())
    }

    private def nameAndType(item: Int): (String, String) =
      reader.readUTF8(item, buffer) -> reader.readUTF8(item + 2, buffer)
  }
}
