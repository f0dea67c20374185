package hudilite.spark.exec

import hudilite.spark.write.{FileLayout, NoCopy}

/** How the rows of an old base file get into the new one.
  *
  * @param barrier why its bytes are not copied
  */
sealed abstract class FileRoad(val barrier: Option[NoCopy]) {

  /** Whether the old rows are not handed from the old file to the new one each by itself. */
  def goesByGroups: Boolean = false
}

object FileRoad {

  /** There is no old file. */
  case object New extends FileRoad(None)

  /** Row group by row group: its rows stand in the order of their keys.
    * @param why its bytes are not copied all the same */
  final case class ByGroups(why: Option[NoCopy]) extends FileRoad(why) {
    override def goesByGroups: Boolean = true
  }

  /** Row by row, sorted. */
  case object Unsorted extends FileRoad(Some(NoCopy.Unsorted))

  /** Row by row, put together of a skeleton and its source. */
  case object Adopted extends FileRoad(Some(NoCopy.Adopted))

  /** @param file the old one */
  def of(file: Option[ReplacedFile], layout: FileLayout): FileRoad =
    file match {
      case None => New
      case Some(old) if old.slice.source.nonEmpty => Adopted
      case Some(old) if !old.footer.sorted => Unsorted
      case Some(_) if !layout.copies => ByGroups(Some(NoCopy.Setting))
      case Some(old) => ByGroups(Option.when(isFragmented(old, layout))(NoCopy.Fragments))
    }

  /** Whether a file has more than twice the row groups that its rows and bytes need. */
  private def isFragmented(old: ReplacedFile, layout: FileLayout): Boolean = {
    val bytes = old.groups.map(_.block.getTotalByteSize).sum
    old.groups.size > 2 * math.max(layout.groupsOf(old.rows), 1 + bytes / leastGroupBytes)
  }

  /** A row group of as many bytes is never small. */
  private val leastGroupBytes = 32L << 20
}
