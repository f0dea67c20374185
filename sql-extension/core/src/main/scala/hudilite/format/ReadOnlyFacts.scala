package hudilite.format

import hudilite.format.TableConfig.Key

/** Facts of tables whose rows hudilite reads and whose rules of writing are not its own.
  * Source: table-versions §2.3, §6; hudi-format §2.4, §11.26. */
private[format] object ReadOnlyFacts {

  /** Fact that forbids writes: its key, its value and what to do. */
  type Obstacle = (String, String, String)

  /** Remedy for a table that is only read: stock Hudi, or a copy of its rows. */
  val fix: String =
    "Write it with stock Hudi, or copy its rows into a table of hudilite: CREATE TABLE name " +
      "(columns, PRIMARY KEY (key)) USING hudilite, then INSERT INTO name SELECT the columns FROM " +
      "the old table."

  /** Properties that must have one particular value: key, value, and the value that an absent
    * property has. */
  private val wanted = Vector(
    Key.metaFields -> "true",
    Key.slashSeparatedDates -> "false",
    Key.cdc -> "false"
  )

  /** Returns the facts that forbid writes to a table. */
  def of(config: TableConfig): Vector[Obstacle] =
    values(config) ++ keys(config) ++ generator(config) ++ ordering(config)

  private def values(config: TableConfig): Vector[Obstacle] = for {
    (key, value) <- wanted
    found <- config.text(key) if !found.equalsIgnoreCase(value)
  } yield (key, found, fix)

  private def keys(config: TableConfig): Vector[Obstacle] =
    config.recordKeyFields.filterNot(isKey(_, config)).map(("key column", _, fix)).toVector ++
      config.partitionFields.filterNot(AvroNames.isValid).map(("partition column", _, fix))

  /** Whether rows are written by a key column: a column, or a field of a struct if keys are unique
    * within their partitions. */
  private def isKey(field: String, config: TableConfig): Boolean =
    AvroNames.isValid(field) ||
      !config.isGlobalIndex && field.split("\\.", -1).forall(AvroNames.isValid)

  private def generator(config: TableConfig): Option[Obstacle] = {
    import KeyGenerator._
    val (keys, partitions) = (config.recordKeyFields, config.partitionFields)
    val dates = config.dateFields
    val isExact = KeyGenerator.of(config.properties).exists {
      case Simple => keys.size <= 1 && partitions.size == 1 && !config.hasTypedPartitions
      case Complex => !config.hasTypedPartitions
      case NonPartitioned => partitions.isEmpty
      case Custom => partitions.forall(name => dates.contains(name) || config.holdsValue(name))
      case Timestamp => keys.size == 1 && partitions.size == 1 && !config.hasTypedPartitions
    }
    if (!isExact || (dates.nonEmpty && config.isBootstrapped))
      Some(("key generator", KeyGenerator.named(config.properties).getOrElse(""), fix))
    else if (dates.isEmpty) None
    else DateFolderFacts.of(config).left.toOption
  }

  private def ordering(config: TableConfig): Option[Obstacle] =
    config.orderingFields.find(!AvroNames.isValid(_)).map(("ordering field", _, fix))
}
