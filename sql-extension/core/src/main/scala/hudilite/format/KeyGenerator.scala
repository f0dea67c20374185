package hudilite.format

import hudilite.format.TableConfig.Key

/** Key generator of stock Hudi: it defines the text of record keys and partition paths.
  * @param code      value of hoodie.table.keygenerator.type
  * @param className value of hoodie.table.keygenerator.class */
sealed abstract class KeyGenerator(val code: String, val className: String)

object KeyGenerator {
  private val room = "org.apache.hudi.keygen"

  case object Simple extends KeyGenerator("SIMPLE", s"$room.SimpleKeyGenerator")
  case object Complex extends KeyGenerator("COMPLEX", s"$room.ComplexKeyGenerator")
  case object NonPartitioned
      extends KeyGenerator("NON_PARTITION", s"$room.NonpartitionedKeyGenerator")

  /** Writes the partition column as a date, see [[DateFolder]]. */
  case object Timestamp extends KeyGenerator("TIMESTAMP", s"$room.TimestampBasedKeyGenerator")

  /** Writes each partition column by the rule of its type, see [[PartitionField]]. */
  case object Custom extends KeyGenerator("CUSTOM", s"$room.CustomKeyGenerator")

  private val all = Vector(Simple, Complex, NonPartitioned, Timestamp, Custom)

  /** Returns the generator that stock Hudi 1.2 infers. Source:
    * KeyGenUtils.inferKeyGeneratorType. */
  def inferred(keyFields: Seq[String], partitionFields: Seq[String]): KeyGenerator =
    if (partitionFields.isEmpty) NonPartitioned
    else if (partitionFields.size == 1 && keyFields.size <= 1) Simple
    else Complex

  /** Returns the generator that the table's properties name by type or class, or else the one that
    * Hudi infers.
    * @return None if they name one whose rules are not known */
  def of(properties: Map[String, String]): Option[KeyGenerator] = named(properties) match {
    case None =>
      Some(
        inferred(fields(properties, Key.recordKeyFields), fields(properties, Key.partitionFields))
      )
    case Some(text) => spelled(text)
  }

  /** Returns the generator with a type or class name. */
  def spelled(text: String): Option[KeyGenerator] = all.find(g => spellings(g).contains(text))

  /** Returns the type or class that the table's properties name. */
  def named(properties: Map[String, String]): Option[String] =
    Vector(Key.keyGeneratorType, Key.keyGeneratorClass)
      .flatMap(properties.get)
      .map(_.trim)
      .find(_.nonEmpty)

  private def spellings(generator: KeyGenerator): Set[String] = Set(
    generator.code,
    s"${generator.code}_AVRO",
    generator.className,
    generator.className.replace("KeyGenerator", "AvroKeyGenerator")
  )

  private def fields(properties: Map[String, String], key: String): Seq[String] =
    TableConfig.splitFields(properties.getOrElse(key, ""))
}
