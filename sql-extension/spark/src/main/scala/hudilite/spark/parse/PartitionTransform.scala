package hudilite.spark.parse

import java.util.Locale

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIfNeeded

import hudilite.spark.parse.CommandTokens._
import hudilite.spark.plan.NamedTable

/** Partition field of Iceberg: a column, or a transform of one.
  * @param column    the column
  * @param transform lower-case name without a plural's s; empty for the column itself
  * @param argument  number of buckets or width */
final private[parse] case class PartitionTransform(
    column: String,
    transform: String,
    argument: String
) {

  /** Adds what the field means to a copy of a table. */
  def addTo(copy: PartitionedCopy): PartitionedCopy = value match {
    case None if transform == "bucket" =>
      copy.copy(of = copy.of.copy(buckets = argument.toIntOption, hashed = Seq(column)))
    case None => copy.partitionedBy(column)
    case Some(text) =>
      copy.copy(columns = copy.columns :+ s"$text AS ${quoteIfNeeded(derived)}").partitionedBy(
        derived
      )
  }

  /** Removes the field from a copy of a table. */
  def removeFrom(copy: PartitionedCopy): PartitionedCopy = {
    val left = copy.of.partitions.filterNot(name =>
      name.equalsIgnoreCase(if (value.isEmpty) column else derived)
    )
    val buckets = if (transform == "bucket") None else copy.of.buckets
    copy.copy(of = copy.of.copy(partitions = left, buckets = buckets))
  }

  private def derived: String = s"${column}_$transform"

  private def value: Option[String] = {
    val name = quoteIfNeeded(column)
    transform match {
      case "year" => Some(s"year($name)")
      case "month" => Some(s"date_format($name, 'yyyy-MM')")
      case "day" | "date" => Some(s"CAST($name AS DATE)")
      case "hour" | "date_hour" => Some(s"date_format($name, 'yyyy-MM-dd-HH')")
      case "truncate" => Some(s"substring($name, 1, $argument)")
      case _ => None
    }
  }
}

private[parse] object PartitionTransform {

  /** Returns the field at the head of some tokens, and the tokens after it. */
  def unapply(tokens: List[Token]): Option[(PartitionTransform, List[Token])] = tokens match {
    case Part(transform) :: Word("(") :: rest =>
      val (inside, after) = rest.span(_.getText != ")")
      val number = inside.collectFirst { case Digits(n) => n }
      val column = inside.collectFirst { case token @ Part(name) if !isNumber(token) => name }
      column.map(of(transform, _, number)).map(_ -> after.drop(1))
    case Name(parts, rest) => Some((PartitionTransform(parts.mkString("."), "", ""), rest))
    case _ => None
  }

  private def of(transform: String, column: String, number: Option[String]) =
    PartitionTransform(column, transform.toLowerCase(Locale.ROOT).stripSuffix("s"),
      number.getOrElse("1"))

  private def isNumber(token: Token): Boolean = Digits.unapply(token).nonEmpty
}

/** A copy of a table with other partitions.
  * @param columns columns that it has beside those of the table, as text */
final private[parse] case class PartitionedCopy(of: NamedTable, columns: Seq[String] = Nil) {

  def partitionedBy(name: String): PartitionedCopy =
    if (of.partitions.exists(_.equalsIgnoreCase(name))) this
    else copy(of = of.copy(partitions = of.partitions :+ name))

  def text: String = of.copied(select = ("*" +: columns).mkString(", "))
}
