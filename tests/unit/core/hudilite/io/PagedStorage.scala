package hudilite.io

import java.lang.reflect.{InvocationTargetException, Method, Proxy}
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path

/** A storage that says of itself that it lists a folder page by page, as object stores do, and
  * remembers what was listed.
  * @param plain storage that does the work
  * @param page  entries of a page */
final class PagedStorage(plain: Storage = LocalStorage, page: Int = 5) {
  private val calls = new ConcurrentLinkedQueue[(String, String)]

  val storage: Storage = Proxy.newProxyInstance(
    getClass.getClassLoader,
    Array(classOf[Storage]),
    (_: Object, method: Method, arguments: Array[Object]) =>
      if (method.getName == "longListing") Int.box(page)
      else called(method, Option(arguments).getOrElse(Array.empty[Object]))
  ).asInstanceOf[Storage]

  /** Returns the calls since the last time, each with the name of its folder or file. */
  def told(): Seq[(String, String)] = {
    val found = calls.asScala.toVector
    calls.clear()
    found
  }

  private def called(method: Method, arguments: Array[Object]): Object = {
    arguments.headOption.collect { case path: Path => calls.add(method.getName -> path.getName) }
    try method.invoke(plain, arguments: _*)
    catch { case e: InvocationTargetException => throw e.getCause }
  }
}
