package hudilite.spark.merge

import hudilite.spark.write.{FileLayout, NoCopy}

/** Way in which the rows of an old base file get into the new one; carries the old base file. */
sealed trait MergeMode

object MergeMode {

  /** Row group by row group: the rows of the old base file are in the order of their keys.
    * @param barrier why its bytes are not copied nevertheless */
  final case class ByRowGroups(file: OldBaseFile, barrier: Option[NoCopy]) extends MergeMode

  /** Row by row: the rows of the old base file are sorted first, or are combined from a skeleton
    * file and its bootstrap source file.
    * @param barrier why its bytes are not copied */
  final case class RowByRow(file: OldBaseFile, barrier: NoCopy) extends MergeMode

  def of(old: OldBaseFile, layout: FileLayout): MergeMode =
    if (old.slice.source.nonEmpty) RowByRow(old, NoCopy.Adopted)
    else if (!old.footer.sorted) RowByRow(old, NoCopy.Unsorted)
    else if (!layout.copies) ByRowGroups(old, Some(NoCopy.Setting))
    else ByRowGroups(old, Option.when(isFragmented(old, layout))(NoCopy.Fragments))

  /** Whether a file has more than twice the row groups that its rows and bytes need. */
  private def isFragmented(old: OldBaseFile, layout: FileLayout): Boolean = {
    val bytes = old.rowGroups.map(_.block.getTotalByteSize).sum
    old.rowGroups.size >
      2 * math.max(layout.rowGroupsOf(old.rows), 1 + bytes / leastRowGroupBytes)
  }

  /** Bytes from which a row group never counts as small. */
  private val leastRowGroupBytes = 32L << 20
}
