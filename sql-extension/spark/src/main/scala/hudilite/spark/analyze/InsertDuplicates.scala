package hudilite.spark.analyze

import org.apache.spark.sql.internal.SQLConf

import hudilite.spark.plan.Setting

/** What INSERT INTO does with a row whose key the table holds already.
  *
  * @param text value of the session setting */
private[analyze] sealed abstract class InsertDuplicates(val text: String)

private[analyze] object InsertDuplicates {

  val Key = "spark.hudilite.insert.duplicates"

  /** HUDILITE_DUPLICATE_KEY. */
  case object Error extends InsertDuplicates("error")

  /** The row takes the place of the one that is there. */
  case object Update extends InsertDuplicates("update")

  /** The row that is there stays. */
  case object Keep extends InsertDuplicates("keep")

  private val all: Seq[InsertDuplicates] = Seq(Error, Update, Keep)

  /** Errors: HUDILITE_SETTING_INVALID. */
  def of(conf: SQLConf): InsertDuplicates = {
    val text = Setting.word(conf, Key)
    all.find(_.text == text).getOrElse(throw new IllegalStateException(s"INTERNAL: $Key = $text"))
  }
}
