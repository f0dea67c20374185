package hudilite.view

/** Footers of base files of one table. As base files never change, none is outdated.
  * @param files    footers; None for those that cannot be judged
  * @param kinds    kinds of the footers, so that equal ones are one object
  * @param bytes    size of the footers in memory
  * @param isLoaded whether the stored footers are among them */
private[view] final case class TableFooters(
    files: Map[TableFooters.File, Option[ShortFooter]] = Map.empty,
    kinds: Map[ShortFooter.Kind, ShortFooter.Kind] = Map.empty,
    bytes: Long = 0,
    isLoaded: Boolean = false
) {
  import TableFooters._

  /** Whether more footers may be added. */
  def hasRoom: Boolean = bytes < mostBytes

  def of(file: FileSlice): Option[ShortFooter] = files.get(File.of(file)).flatten

  /** Whether somebody has read the footer of a file. */
  def hasLookedAt(file: FileSlice): Boolean = files.contains(File.of(file))

  /** Adds the footers of files. */
  def grown(footers: Seq[(FileSlice, Option[ShortFooter])]): TableFooters =
    footers.foldLeft(this) { case (all, (file, footer)) => all.added(File.of(file), footer) }

  /** Adds the footer of a file that is not yet there. */
  def added(file: File, footer: Option[ShortFooter]): TableFooters =
    if (files.contains(file)) this
    else {
      val shared = footer.map(of => new ShortFooter(kinds.getOrElse(of.kind, of.kind), of.bounds))
      val fresh = shared.map(_.kind).filterNot(kinds.contains)
      copy(
        files + (file -> shared),
        kinds ++ fresh.map(kind => kind -> kind),
        bytes + entryBytes + file.place.length + shared.fold(0)(_.bounds.length) +
          fresh.fold(0)(_.footer.length)
      )
    }

  /** Returns the footers of some files. */
  def only(some: Seq[FileSlice]): TableFooters =
    some.map(File.of).foldLeft(TableFooters(isLoaded = isLoaded)) { (all, file) =>
      files.get(file).fold(all)(all.added(file, _))
    }
}

private[view] object TableFooters {

  /** Bytes of the footers of one table from which on no more are added. */
  private val mostBytes = 32L << 20

  /** Bytes of an entry beside its texts and statistics. */
  private val entryBytes = 200

  /** A base file.
    * @param place  path, relative to the table
    * @param length size in bytes */
  final case class File(place: String, length: Long)

  object File {
    def of(file: FileSlice): File = File(file.place, file.base.length)
  }
}
