package hudilite.format

import java.nio.charset.StandardCharsets.UTF_8

import hudilite.error.HudiliteException

/** Relative path of a partition: the texts of the partition columns joined by `/`, as Hudi's key
  * generators write it.
  * Source: hudi-format §5.5. */
object PartitionPath {
  val DefaultValue = "__HIVE_DEFAULT_PARTITION__"

  /** Beginning of names that Hudi uses in a table's folders; no partition has such a name. */
  private val reserved = ".hoodie"

  /** Maximum length of a folder name on the file systems that hudilite writes to. */
  private val maxNameBytes = 255

  private val date = """\d{4}-\d{2}-\d{2}""".r
  private val dateLength = "2024-01-15".length

  /** Flags of Hive's special characters, by character code. */
  private val special: Array[Boolean] = {
    val marks = new Array[Boolean](128)
    (('\u0000' to '\u001f') ++ "\"#%'*/:=?\\{[]^" :+ '\u007f').foreach(c => marks(c.toInt) = true)
    marks
  }

  /** Whether a name is one that Hudi uses in a table's folders. */
  def isReserved(name: String): Boolean = name.startsWith(reserved)

  /** Whether a folder may be a level of a partition path. It may begin with a dot if a level is the value
    * alone. */
  def mayBePart(name: String, config: TableConfig): Boolean =
    if (config.hiveStyle || config.partitionFields.isEmpty) !name.startsWith(".")
    else !isReserved(name)

  /** Returns the path of a partition.
    * @param fields    partition columns in path order
    * @param values    their texts; null and "" give the same path
    * @param hiveStyle whether a level is `field=value`
    * @param urlEncode whether Hive's special characters are written as %XX
    * @param dates     columns of which a value may give several folders, as `2024/01/15` does
    * @return path relative to the table, "" if there are no partition columns
    * Errors: HUDILITE_PARTITION_VALUE_INVALID if a value does not give a single valid folder name,
    * or is the text that stands for null. */
  def encode(
      fields: Seq[String],
      values: Seq[String],
      hiveStyle: Boolean,
      urlEncode: Boolean,
      dates: Seq[String] = Nil
  ): String =
    fields
      .zip(values)
      .map { case (field, value) =>
        val folder = named(field, value, hiveStyle, urlEncode)
        val folders = if (dates.contains(field)) folder.split("/", -1).toSeq else Seq(folder)
        if (value == DefaultValue || !folders.forall(isFolder)) throw refused(field, folder)
        folder
      }
      .mkString("/")

  /** Returns the path of a partition that another writer has made: of any texts, even if they give
    * several folders.
    * @param values texts of the partition columns; null and "" give the same path */
  def anyOf(values: Seq[String], config: TableConfig): String =
    config.partitionFields
      .zip(values)
      .map { case (field, value) => named(field, value, config.hiveStyle, config.urlEncode) }
      .mkString("/")

  /** Whether a path is that of a date under Hudi's slash-separated dates, `2024/01/15` instead of
    * `2024-01-15`, which stock Hudi does not record in hoodie.properties.
    * @param path  path of the partition
    * @param plain path that [[anyOf]] gives for the date */
  def hasSlashes(path: String, plain: String): Boolean =
    date.matches(plain.takeRight(dateLength)) &&
      path == plain.dropRight(dateLength) + plain.takeRight(dateLength).replace('-', '/')

  /** Returns the partition values of a path.
    * @return text of each partition column, with None for one that was null or empty; None as a
    *         whole if the path has another depth or other column names */
  def decode(
      path: String,
      fields: Seq[String],
      hiveStyle: Boolean,
      urlEncode: Boolean
  ): Option[Seq[Option[String]]] = textsOf(foldersOf(path), fields, hiveStyle, urlEncode)

  /** Returns the partition values of a path, under the properties of a table. The value of a column
    * whose folder is a date is that date. */
  def decode(path: String, config: TableConfig): Option[Seq[Option[String]]] =
    levels(path, config)
      .flatMap(textsOf(_, config.partitionFields, config.hiveStyle, config.urlEncode))

  /** Returns the part of a path that each partition column gives, which is several folders for a date
    * such as `2024/01/15`.
    * @return None if the path has another depth */
  def levels(path: String, config: TableConfig): Option[Seq[String]] = {
    val depths = config.partitionFields.map { field =>
      if (config.urlEncode) 1 else config.dateFolder(field).fold(1)(_.depth)
    }
    val folders = foldersOf(path)
    Option.when(folders.size == depths.sum) {
      depths.scanLeft(0)(_ + _).zip(depths).map { case (from, depth) =>
        folders.slice(from, from + depth).mkString("/")
      }
    }
  }

  /** Returns the number of folders of a path. */
  def depth(path: String): Int = foldersOf(path).size

  /** Whether a path has these folders.
    * @param folders by the number of the partition column, from 0 */
  def has(path: String, folders: Map[Int, String], config: TableConfig): Boolean =
    levels(path, config).exists(own => folders.forall { case (i, folder) => own(i) == folder })

  /** Whether a path is the one that the properties of a table give for the partition values in it.
    * A bootstrap takes over the folders of its source, whatever these properties are. */
  def isOwn(path: String, config: TableConfig): Boolean = {
    val fields = config.partitionFields
    val levels = if (path.isEmpty) Vector.empty else path.split("/", -1).toVector
    levels.size == fields.size && fields.zip(levels).forall { case (field, level) =>
      val isNamed = level.startsWith(s"$field=")
      val text = if (isNamed) level.drop(field.length + 1) else level
      val isWritten =
        if (config.urlEncode) escape(unescape(text)) == text else unescape(text) == text
      isNamed == config.hiveStyle && isWritten
    }
  }

  /** Replaces each of Hive's special characters by % and two upper-case hex digits. */
  def escape(text: String): String =
    if (!text.exists(isSpecial)) text
    else text.flatMap(c => if (isSpecial(c)) f"%%${c.toInt}%02X" else c.toString)

  /** Reverts [[escape]]; a % without two hex digits after it stays a %. */
  def unescape(text: String): String = {
    @scala.annotation.tailrec
    def from(at: Int, done: StringBuilder): String = text.indexOf('%', at) match {
      case -1 => done.append(text.drop(at)).result()
      case i =>
        done.append(text.substring(at, i))
        hex(text, i + 1) match {
          case Some(code) => from(i + 3, done.append(code))
          case None => from(i + 1, done.append('%'))
        }
    }
    from(0, new StringBuilder)
  }

  private def isSpecial(c: Char): Boolean = c < special.length && special(c.toInt)

  private def hex(text: String, at: Int): Option[Char] =
    if (at + 2 > text.length) None
    else {
      val high = Character.digit(text.charAt(at), 16)
      val low = Character.digit(text.charAt(at + 1), 16)
      Option.when(high >= 0 && low >= 0)((high * 16 + low).toChar)
    }

  private def named(
      field: String,
      value: String,
      hiveStyle: Boolean,
      urlEncode: Boolean
  ): String = {
    val text = Option(value).filter(_.nonEmpty) match {
      case None => DefaultValue
      case Some(text) if urlEncode => escape(text)
      case Some(text) => text
    }
    if (hiveStyle) s"$field=$text" else text
  }

  private def foldersOf(path: String): Seq[String] =
    if (path.isEmpty) Vector.empty else path.split("/", -1).toVector

  private def textsOf(
      levels: Seq[String],
      fields: Seq[String],
      hiveStyle: Boolean,
      urlEncode: Boolean
  ): Option[Seq[Option[String]]] = {
    val texts =
      fields.zip(levels).flatMap { case (field, level) => valueOf(field, level, hiveStyle) }
    if (levels.length != fields.length || texts.length != fields.length) None
    else Some(texts.map(text => Option.when(text != DefaultValue)(plain(text, urlEncode))))
  }

  private def plain(text: String, urlEncode: Boolean): String =
    if (urlEncode) unescape(text) else text

  private def valueOf(field: String, level: String, hiveStyle: Boolean): Option[String] =
    if (!hiveStyle) Some(level).filter(_.nonEmpty)
    else if (level.startsWith(s"$field=")) Some(level.drop(field.length + 1)).filter(_.nonEmpty)
    else None

  private def isFolder(name: String): Boolean =
    name.nonEmpty && !name.contains('/') && name != "." && name != ".." &&
      !isReserved(name) && name.getBytes(UTF_8).length <= maxNameBytes

  private def refused(field: String, folder: String): HudiliteException =
    HudiliteException("HUDILITE_PARTITION_VALUE_INVALID", "column" -> field, "value" -> folder)
}
