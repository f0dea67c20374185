package hudilite.spark

/** What INSERT INTO does with a row whose key the table holds already.
  *
  * @param text value of the session setting */
sealed abstract class InsertDuplicates(val text: String)

object InsertDuplicates {

  /** HUDILITE_DUPLICATE_KEY. */
  case object Error extends InsertDuplicates("error")

  /** The row takes the place of the one that is there. */
  case object Update extends InsertDuplicates("update")

  /** The row that is there stays. */
  case object Keep extends InsertDuplicates("keep")

  val all: Seq[InsertDuplicates] = Seq(Error, Update, Keep)
}
