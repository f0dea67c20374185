package hudilite.spark.verify

/** Depth of the check of a table. Each level includes those before it.
  * @param name as it is given to CALL verify */
sealed abstract class CheckLevel(val name: String)

object CheckLevel {

  /** Check of the timeline and of the table's properties. */
  case object Meta extends CheckLevel("meta")

  /** Check of the listings and of the footers of the base files, too. */
  case object Files extends CheckLevel("files")

  /** Check of every row, too. */
  case object Rows extends CheckLevel("rows")

  val all: Seq[CheckLevel] = Seq(Meta, Files, Rows)

  val named: Map[String, CheckLevel] = all.map(level => level.name -> level).toMap
}
