package hudilite.spark.command

import hudilite.spark.catalog.HudiliteTable

/** Number and size of the files that a table's snapshot reads. */
final private[command] case class FileTotals(files: Long, bytes: Long)

private[command] object FileTotals {
  def of(table: HudiliteTable): FileTotals = {
    val slices = table.snapshot.allSlices
    FileTotals(slices.map(_.files.size.toLong).sum, slices.map(_.wholeLength).sum)
  }
}
