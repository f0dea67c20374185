import org.objectweb.asm.{ClassReader, ClassVisitor, ClassWriter, Opcodes}

/** The classes that a session can come to: those that its settings and our services name, and whatever
  * a name in one of them leads to. The others are the companions of case classes that nobody asks, and
  * classes of static doors to an object's methods, which Scala makes for Java. */
object Reached {

  /** What a user writes into the settings of a session. */
  private val doors = Set("hudilite.spark.HudiliteExtensions", "hudilite.spark.HudiliteCatalog")

  /** Generated code goes through the static doors of the object whose class it is given. */
  private val StaticInvoke = "org/apache/spark/sql/catalyst/expressions/objects/StaticInvoke"
  private val Name = """(?:hudilite|org[./]apache[./]spark)[./][\w$./]+""".r

  /** @param classes every class of ours
    * @param texts   our resources, which may name some
    * @return names such as `hudilite/io/Storage` */
  def from(classes: Seq[Array[Byte]], texts: Seq[String]): Set[String] = {
    val known = classes.map(bytes => new ClassReader(bytes).getClassName -> bytes).toMap
    val uses = known.map { case (name, bytes) => name -> used(name, bytes).filter(known.contains) }
    @scala.annotation.tailrec
    def spread(reached: Set[String], fresh: Set[String]): Set[String] =
      if (fresh.isEmpty) reached
      else spread(reached ++ fresh, fresh.flatMap(uses) -- reached -- fresh)
    spread(Set.empty, (doors ++ texts).flatMap(names).filter(known.contains))
  }

  /** Of the classes around it a class needs its own outer one, which is loaded for its simple name. */
  private def used(name: String, bytes: Array[Byte]): Set[String] = {
    val writer = new ClassWriter(0)
    val own = new ClassVisitor(Opcodes.ASM9, writer) {
      override def visitInnerClass(inner: String, outer: String, short: String, access: Int): Unit =
        if (inner == name) super.visitInnerClass(inner, outer, short, access)
    }
    new ClassReader(bytes).accept(own, 0)
    val texts = SortedPool.texts(writer.toByteArray)
    val named = texts.flatMap(names).toSet
    if (texts.contains(StaticInvoke)) named ++ named.map(_.stripSuffix("$")) else named
  }

  /** Every class that a text may name: generated code calls `class.method(`. */
  private def names(text: String): Iterator[String] =
    Name.findAllIn(text).map(_.replace('.', '/')).flatMap { path =>
      Iterator.iterate(path)(p => p.take(p.lastIndexOf('/') max 0)).takeWhile(_.nonEmpty)
    }
}
