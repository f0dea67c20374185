package hudilite.spark.plan

import org.apache.spark.sql.catalyst.expressions.Expression

/** Choice of the partitions that a write replaces as a whole: their file groups are hidden, and no
  * file of them is read. */
sealed trait Replacement

object Replacement {

  /** Partitions that the statement writes rows to; none if it has no rows. */
  case object Written extends Replacement {
    override def toString: String = "the partitions of its rows"
  }

  /** Partitions whose path has one of these sets of folder names.
    * @param choices folder names by their level in the path, from 0; an empty map selects every
    *                partition */
  final case class Folders(choices: Seq[Map[Int, String]]) extends Replacement {
    override def toString: String = choices
      .map(levels =>
        if (levels.isEmpty) "all partitions" else levels.toSeq.sorted.map(_._2).mkString("/")
      )
      .mkString(", ")
  }

  /** Partitions in which a predicate over partition columns is true for every row. */
  final case class Where(condition: Expression) extends Replacement {
    override def toString: String = s"partitions where ${condition.sql}"
  }

  /** All partitions, also of a table without partition columns. */
  val all: Replacement = Folders(Seq(Map.empty))
}
