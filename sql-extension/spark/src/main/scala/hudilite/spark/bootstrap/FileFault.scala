package hudilite.spark.bootstrap

/** Reason why a source file cannot be part of the table. */
sealed trait FileFault extends Serializable {
  def text: String
}

object FileFault {

  /** Fault of a file that cannot be read. `skip_corrupt` leaves it out. */
  final case class Unreadable(text: String) extends FileFault

  /** Fault of a file without rows. It is left out, and the call does not fail. */
  case object NoRows extends FileFault {
    override def text: String = "it has no rows"
  }

  /** Fault of a file in which a key column is missing or has another type than in the first
    * file. */
  final case class NoKeyColumn(column: String, text: String) extends FileFault

  /** Fault of a file that has a row without a key. */
  final case class NullKey(column: String) extends FileFault {
    override def text: String = s"its key column $column is null or an empty string"
  }

  /** Fault of a file that has a value that cannot be part of a key. */
  final case class InvalidKey(column: String, text: String) extends FileFault
}
