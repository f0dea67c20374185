package hudilite.spark.analyze

import org.apache.spark.sql.internal.SQLConf

import hudilite.spark.AnalysisErrors

/** What INSERT INTO does with a row whose key the table holds already.
  *
  * @param text value of the session setting */
private[analyze] sealed abstract class InsertDuplicates(val text: String)

private[analyze] object InsertDuplicates {

  /** The session setting; `error` where it is not set. */
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
    val text = conf.getConfString(Key, Error.text)
    all.find(_.text.equalsIgnoreCase(text.trim)).getOrElse {
      throw AnalysisErrors.of(
        "HUDILITE_SETTING_INVALID",
        "key" -> Key,
        "value" -> text,
        "known" -> all.map(_.text).mkString(", ")
      )
    }
  }
}
