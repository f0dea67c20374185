package hudilite.spark.analyze

import org.apache.spark.sql.internal.SQLConf

import hudilite.spark.plan.Setting

/** Behavior of INSERT INTO for a row whose key exists in the table already.
  *
  * @param text value of the session setting */
private[analyze] sealed abstract class InsertDuplicates(val text: String)

private[analyze] object InsertDuplicates {

  val Key = "spark.hudilite.insert.duplicates"

  /** Fails with HUDILITE_DUPLICATE_KEY. */
  case object Error extends InsertDuplicates("error")

  /** Replaces the existing row by the new one. */
  case object Update extends InsertDuplicates("update")

  /** Keeps the existing row and drops the new one. */
  case object Keep extends InsertDuplicates("keep")

  private val all: Seq[InsertDuplicates] = Seq(Error, Update, Keep)

  /** Errors: HUDILITE_SETTING_INVALID. */
  def of(conf: SQLConf): InsertDuplicates = {
    val text = Setting.word(conf, Key)
    all.find(_.text == text).getOrElse(throw new IllegalStateException(s"INTERNAL: $Key = $text"))
  }
}
