package hudilite.timeline

import hudilite.format.TableConfig

/** Names of the files and folders in which a table keeps its metadata, and the form of their
  * content, as one version of Hudi's table format defines them. Paths are relative to the table's
  * folder. A layout has no state and is sent to tasks. */
trait TimelineLayout extends Serializable {

  /** Value of hoodie.timeline.layout.version in the properties of tables with this layout. */
  def version: String

  /** Path of the metadata folder, which lies directly in the table's folder. */
  def metadata: String

  /** Path of the file with the table's properties. */
  def properties: String

  /** Path of the folder that contains one file for each state of each instant. */
  def timeline: String

  /** Path of the folder of the markers, which contains a folder for each instant. */
  def markers: String

  /** Path of the folder of the bootstrap index. */
  def bootstrapIndex: String

  /** Path of the folder of Hudi's metadata table. */
  def metadataTable: String = s"$metadata/metadata"

  /** Path of the folder in which Hudi stores rules for buckets, such as bucket counts of single
    * partitions. */
  def bucketRules: String

  /** Path of the folder with the columns that a table has had, see [[SchemaHistory]]. */
  def schemas: String = s"$metadata/.schema"

  /** Path of the folder of hudilite's numbered commits; stock Hudi ignores it. */
  def commits: String

  /** Path of the folder with the names of the latest numbers, which stores have that list a folder
    * page by page; stock Hudi ignores it. */
  def recentCommits: String = s"$metadata/.hudilite-recent"

  /** Path of the folder with the files by which a rescale and other writes take turns; stock Hudi
    * ignores it. */
  def rescaling: String = s"$metadata/.hudilite-rescale"

  /** Path of the folder with a file for each stream that writes to the table; stock Hudi ignores
    * it. */
  def streams: String

  /** Path of the file with the statistics that ANALYZE TABLE has stored; stock Hudi ignores it. */
  def statistics: String

  /** Path of the file with the footers of base files that ANALYZE TABLE has stored; stock Hudi ignores
    * it. */
  def footers: String

  /** Form of the content of instants' files. */
  def codec: TimelineCodec

  /** Returns the name of an instant's file in the timeline folder. A completed instant without a
    * time of completion has a name of its own. */
  def fileName(instant: Instant): String

  /** Returns the completed state of an action, as the name of its file says it; None if the name
    * cannot be known because it contains a time of completion that is not given.
    * @param completion time of completion, which matters only if [[namesCompletion]] */
  def completed(time: String, action: String, completion: Option[String]): Option[Instant]

  /** Returns the instant that a file name stands for, or None for any other name. */
  def parse(fileName: String): Option[Instant]

  /** Returns the actions under which an action may be pending before it is completed. */
  def pendingActions(action: String): Seq[String] = Seq(action)

  /** Whether the name of each completed file contains a time of completion. */
  def namesCompletion: Boolean = false

  /** Returns the archive of a table's timeline. Makes no call of the storage.
    * Errors: HUDILITE_UNSUPPORTED_TABLE if the properties name a folder outside of the table. */
  private[hudilite] def archive(files: TimelineFiles, config: TableConfig): TimelineArchive =
    new TimelineArchive.Unknown(files, config)

  /** Whether a file name may stand for a completed write. A fast test for listings: it is true for
    * every such name and may be true for others. */
  def mayBeCompletedWrite(fileName: String): Boolean

  /** Order of the instants on the timeline: by requested time, then by action, then by state. Times
    * of completion do not count. */
  def order: Ordering[Instant] = TimelineLayout.byRequestedTime
}

object TimelineLayout {

  /** Layouts of the tables that this process opens, that of new tables first. For tests, the JVM
    * property `hudilite.timeline.layout` names the class of one more, which comes first. */
  private[timeline] lazy val known: Seq[TimelineLayout] =
    Option(System.getProperty("hudilite.timeline.layout")).toSeq.map { name =>
      Class.forName(name).asSubclass(classOf[TimelineLayout]).getDeclaredConstructor()
        .newInstance()
    } ++ Seq(Version6Layout, Version8Layout)

  /** Layout of new tables. */
  def ofNewTables: TimelineLayout = known.head

  /** Whether a folder in a table's folder has the name of a metadata folder. */
  def isMetadata(name: String): Boolean = known.exists(_.metadata == name)

  private val byRequestedTime: Ordering[Instant] = (a: Instant, b: Instant) => {
    val byTime = a.time.compareTo(b.time)
    val byAction = if (byTime == 0) a.action.compareTo(b.action) else byTime
    if (byAction == 0) rank(a.state) - rank(b.state) else byAction
  }

  private def rank(state: Instant.State): Int = state match {
    case Instant.Requested => 0
    case Instant.Inflight => 1
    case Instant.Completed => 2
  }
}
