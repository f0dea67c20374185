package hudilite.format

import java.util.Locale
import java.util.concurrent.TimeUnit

import scala.util.Try
import scala.util.matching.Regex

import org.joda.time.format.DateTimeFormat

import hudilite.format.ReadOnlyFacts.Obstacle

/** Properties of timestamp-based key generators. Stock Hudi stores those that its writer was given,
  * under their newer names, and those of a custom key generator not at all. What its writer took from
  * its machine is in no property: the time zone, and the language of names of months and days.
  * Source: Hudi 1.2, TimestampKeyGeneratorConfig, HoodieTableConfig.PERSISTED_CONFIG_LIST. */
object DateFolderFacts {
  val prefix = "hoodie.keygen.timebased."
  private val olderPrefix = "hoodie.deltastreamer.keygen.timebased."

  val kind: String = s"${prefix}timestamp.type"
  val unit: String = s"${prefix}timestamp.scalar.time.unit"
  val input: String = s"${prefix}input.dateformat"
  val delimiter: String = s"${prefix}input.dateformat.list.delimiter.regex"
  val inputZone: String = s"${prefix}input.timezone"
  val output: String = s"${prefix}output.dateformat"
  val outputZone: String = s"${prefix}output.timezone"
  val zone: String = s"${prefix}timezone"
  val parser = "hoodie.keygen.datetime.parser.class"
  val consistent =
    "hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled"

  /** Properties that a statement may state for a table that lacks them. */
  val names: Seq[String] =
    Seq(kind, unit, input, delimiter, inputZone, output, outputZone, zone, consistent)

  /** Returns the name under which stock Hudi stores a property. */
  def stored(name: String): String =
    if (name.startsWith(olderPrefix)) prefix + name.drop(olderPrefix.length) else name

  /** Returns the older name of a property, if it has one. */
  def older(name: String): Option[String] =
    Option.when(name.startsWith(prefix))(olderPrefix + name.drop(prefix.length))

  private val ownParser = "org.apache.hudi.keygen.parser.HoodieDateTimeParser"
  private val ofText = Set("DATE_STRING", "MIXED")

  /** Letters of a format whose text depends on the language of the machine. */
  private val words = "G|E+|a|z+|MMM+".r

  /** Letters of a format of texts with two digits of a year, whose century depends on the clock. */
  private val shortYears = "yy|xx|YY".r

  private val offsets = "Z+".r
  private val zoneIds = "ZZZ+".r

  /** Returns what to do about a property that a table lacks. */
  def stating(key: String): String =
    s"State it once, as the table's writers have it: CREATE TABLE name USING hudilite TBLPROPERTIES " +
      s"('$key' = '...') LOCATION '...'."

  /** Returns the rule of a table with a timestamp-based key generator.
    * @return else the fact that is missing, or from which no folder follows, as key, value and what
    *         to do */
  def of(config: TableConfig): Either[Obstacle, DateFolder] = {
    val facts = config.properties.map { case (key, value) => stored(key) -> value }
    new DateFolderFacts(facts.filter(_._2.trim.nonEmpty), facts.contains(zone)).folder
  }

  private def lettersOf(format: String): Seq[String] =
    "'[^']*'|([A-Za-z])\\1*".r.findAllIn(format).filterNot(_.startsWith("'")).toVector

  private def has(format: String, letters: Regex): Boolean =
    lettersOf(format).exists(letters.matches)
}

private final class DateFolderFacts(facts: Map[String, String], hasOneZone: Boolean) {
  import DateFolderFacts._

  def folder: Either[Obstacle, DateFolder] = for {
    _ <- check(parser)(_.forall(_ == ownParser), ReadOnlyFacts.fix)
    name <- required(kind)
    isText = ofText(name)
    ofUnit <- if (isText) Right(None) else unitOf(name).map(Some(_))
    format <- required(output)
    _ <- checkFormat(output, format)
    _ <- check(output)(_ => isPath(format), ReadOnlyFacts.fix)
    formats <- if (isText) inputs else Right(Nil)
    from = if (hasOneZone) facts.get(zone) else facts.get(inputZone)
    to = if (hasOneZone) facts.get(zone) else facts.get(outputZone)
    _ <- checkZones(isText, from, to, formats, format)
    isOfMillis = facts.get(consistent).exists(_.equalsIgnoreCase("true"))
  } yield DateFolder(ofUnit, formats, from, to, format, isOfMillis)

  private def required(key: String): Either[Obstacle, String] =
    facts.get(key).toRight((key, "", stating(key)))

  private def check(key: String)(isRight: Option[String] => Boolean, fix: String) =
    Either.cond(isRight(facts.get(key)), (), (key, facts.getOrElse(key, ""), fix))

  private def unitOf(name: String): Either[Obstacle, TimeUnit] = name match {
    case "UNIX_TIMESTAMP" => Right(TimeUnit.SECONDS)
    case "EPOCHMILLISECONDS" => Right(TimeUnit.MILLISECONDS)
    case "EPOCHMICROSECONDS" => Right(TimeUnit.MICROSECONDS)
    case "SCALAR" =>
      val of = facts.getOrElse(unit, TimeUnit.SECONDS.name).trim.toUpperCase(Locale.ROOT)
      TimeUnit.values.find(_.name == of).toRight((unit, of, ReadOnlyFacts.fix))
    case other => Left((kind, other, ReadOnlyFacts.fix))
  }

  /** A format of texts is split as Java splits, and each part is trimmed when it is used. */
  private def inputs: Either[Obstacle, Seq[String]] = for {
    text <- required(input)
    formats <- Try(text.split(facts.getOrElse(delimiter, ",")).toVector).toOption
      .filter(_.nonEmpty)
      .toRight((delimiter, facts.getOrElse(delimiter, ""), ReadOnlyFacts.fix))
    _ <- formats.map(format => checkFormat(input, format.trim)).find(_.isLeft).getOrElse(Right(()))
    _ <- check(input)(_ => !formats.exists(has(_, shortYears)),
      s"The century of its two-digit years depends on the day. ${ReadOnlyFacts.fix}")
  } yield formats

  private def checkFormat(key: String, format: String): Either[Obstacle, Unit] =
    if (Try(DateTimeFormat.forPattern(format)).isFailure) Left((key, format, ReadOnlyFacts.fix))
    else if (has(format, words))
      Left((key, format,
        s"Its names of days, months or zones depend on the writer's language. ${ReadOnlyFacts.fix}"))
    else Right(())

  /** Whether each date is a path of the same number of folders. */
  private def isPath(format: String): Boolean =
    format.split("/", -1).forall(_.trim.nonEmpty) && !has(format, zoneIds)

  /** Fails if the zone of the writer's machine decides about a date. */
  private def checkZones(
      isText: Boolean,
      from: Option[String],
      to: Option[String],
      formats: Seq[String],
      format: String
  ): Either[Obstacle, Unit] = {
    def unknown(key: String) = Left((key, "",
      s"The writer's machine had some time zone. ${stating(key)}"))
    if (!isText && to.isEmpty) unknown(outputZone)
    else if (isText && from.isEmpty && to.nonEmpty && !formats.forall(has(_, offsets)))
      unknown(inputZone)
    else if (isText && from.isEmpty && to.isEmpty && has(format, offsets)) unknown(outputZone)
    else Right(())
  }
}
