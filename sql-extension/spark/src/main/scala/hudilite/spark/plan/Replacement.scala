package hudilite.spark.plan

import org.apache.spark.sql.catalyst.expressions.Expression

/** Which partitions a write replaces as a whole: their file groups are hidden and none of their
  * files is read. */
sealed trait Replacement

object Replacement {

  /** Those that the statement's rows go to; with no row none. */
  case object Written extends Replacement {
    override def toString: String = "the partitions of its rows"
  }

  /** Those whose folders bear one of these sets of names.
    * @param choices names by their level in the path, from 0; an empty set is every partition */
  final case class Folders(choices: Seq[Map[Int, String]]) extends Replacement {
    override def toString: String = choices
      .map(levels =>
        if (levels.isEmpty) "all partitions" else levels.toSeq.sorted.map(_._2).mkString("/")
      )
      .mkString(", ")
  }

  /** Those for whose every row a predicate over partition columns is true. */
  final case class Where(condition: Expression) extends Replacement {
    override def toString: String = s"partitions where ${condition.sql}"
  }

  /** Every partition, also of a table without partition columns. */
  val all: Replacement = Folders(Seq(Map.empty))
}
