package hudilite.spark.merge

import hudilite.spark.write.{FileLayout, NoCopy}

/** Ways in which the rows of an old base file get into the new one.
  *
  * @param barrier why the old file's bytes are not copied
  */
sealed abstract class MergeMode(val barrier: Option[NoCopy]) {

  /** Whether old rows are handled by row groups, rather than passed to the new file one by one. */
  def goesByGroups: Boolean = false
}

object MergeMode {

  /** No old file exists. */
  case object New extends MergeMode(None)

  /** Row group by row group: the rows of the old file are in the order of their keys.
    * @param why why its bytes are not copied nevertheless */
  final case class ByGroups(why: Option[NoCopy]) extends MergeMode(why) {
    override def goesByGroups: Boolean = true
  }

  /** Row by row, sorted first. */
  case object Unsorted extends MergeMode(Some(NoCopy.Unsorted))

  /** Row by row, each combined from a skeleton file and its bootstrap source file. */
  case object Adopted extends MergeMode(Some(NoCopy.Adopted))

  /** @param file the old base file */
  def of(file: Option[OldBaseFile], layout: FileLayout): MergeMode =
    file match {
      case None => New
      case Some(old) if old.slice.source.nonEmpty => Adopted
      case Some(old) if !old.footer.sorted => Unsorted
      case Some(_) if !layout.copies => ByGroups(Some(NoCopy.Setting))
      case Some(old) => ByGroups(Option.when(isFragmented(old, layout))(NoCopy.Fragments))
    }

  /** Whether a file has more than twice the row groups that its rows and bytes need. */
  private def isFragmented(old: OldBaseFile, layout: FileLayout): Boolean = {
    val bytes = old.groups.map(_.block.getTotalByteSize).sum
    old.groups.size > 2 * math.max(layout.rowGroupsOf(old.rows), 1 + bytes / leastGroupBytes)
  }

  /** Bytes from which a row group never counts as small. */
  private val leastGroupBytes = 32L << 20
}
