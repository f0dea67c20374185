package hudilite.spark.hive

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.common.StatsSetupConst
import org.apache.hadoop.hive.metastore.api.{EnvironmentContext, NoSuchObjectException, Table}
import org.apache.hadoop.hive.metastore.{IMetaStoreClient, PartitionDropOptions}
import org.apache.spark.sql.classic.SparkSession

import hudilite.format.PartitionPath
import hudilite.io.Storage
import hudilite.spark.catalog.HudiliteTable

/** Result of a sync to the Hive metastore, or of a dry run.
  * @param target     metastore entry, as `database.name`
  * @param isNew      whether the entry did not exist before
  * @param columns    number of columns added, removed or changed in an existing entry
  * @param properties number of properties added, removed or changed in an existing entry
  * @param added      number of partitions added
  * @param dropped    number of partitions dropped
  * @param commit     instant that the entry shows after the sync; None in a table without a
  *                   commit */
final case class HiveRegistration(
    target: String,
    isNew: Boolean,
    columns: Int,
    properties: Int,
    added: Int,
    dropped: Int,
    commit: Option[String]
)

object HiveRegistration {
  private val partitionsAtATime = 500

  /** Updates the entries to the latest commit of a table; writes nothing if they are up to date.
    * @param asked name of the entry, see [[HiveTarget]]
    * @param isDry whether to compute the changes only, and write nothing
    * @return one result for each entry: a merge-on-read table has two
    * Errors: HUDILITE_HIVE_SYNC_FAILED; those of a scan. */
  def run(
      session: SparkSession,
      table: HudiliteTable,
      asked: Option[String] = None,
      isDry: Boolean = false
  ): Seq[HiveRegistration] = {
    val now = HudiliteTable.open(session, table.name, table.basePath, Map.empty)
    val targets =
      HiveView.of(now.config).map(view => view -> HiveTarget.of(session, table, asked, view))
    targets.map { case (view, target) =>
      Metastore.call(session, target) { client =>
        new Sync(client, now, HiveEntry.of(session, now, target, view), isDry)
          .run(session.sessionState.newHadoopConf())
      }
    }
  }

  private class Sync(
      client: IMetaStoreClient,
      table: HudiliteTable,
      entry: HiveEntry,
      isDry: Boolean
  ) {
    private val target = entry.target

    table.config.partitionFields.find(!table.config.holdsValue(_)).foreach { name =>
      throw target.failed(
        s"the folders of partition column $name have other texts than its values",
        "Register the table with stock Hudi's sync tool."
      )
    }

    def run(conf: Configuration): HiveRegistration = {
      val found = find()
      found.foreach(check(_, conf))
      val folders = if (entry.columns.keys.isEmpty) Map.empty[Seq[String], Path] else partitions
      val difference = found.map(entry.against)
      val registered = found.fold(Set.empty[Seq[String]])(_ => listed())
      val (added, dropped) = (folders.keySet -- registered, registered -- folders.keySet)
      if (!isDry) {
        if (found.isEmpty) client.createTable(entry.table)
        drop(dropped)
        add(added.toSeq.map(values => values -> folders(values)))
        for (old <- found; change <- difference if !change.isEmpty) alter(old, change)
      }
      HiveRegistration(
        target.toString,
        found.isEmpty,
        difference.fold(0)(_.columns),
        difference.fold(0)(_.properties),
        added.size,
        dropped.size,
        table.snapshot.lastInstant
      )
    }

    private def find(): Option[Table] = {
      try client.getDatabase(target.database)
      catch {
        case e: NoSuchObjectException =>
          throw target.failed(
            s"database ${target.database} does not exist",
            s"Run CREATE DATABASE ${target.database} first, or use another database.",
            e
          )
      }
      Option.when(client.tableExists(target.database, target.name))(
        client.getTable(target.database, target.name)
      )
    }

    /** Checks that an entry can be updated: it must belong to this table and have the same
      * partition columns, because a metastore cannot change those.
      * Errors: HUDILITE_HIVE_SYNC_FAILED. */
    private def check(found: Table, conf: Configuration): Unit = {
      if (!HiveEntry.isOf(found, table, conf))
        throw target.failed(
          s"this entry belongs to a table at ${found.getSd.getLocation}",
          "Write target => 'database.name' with a name that is not in use."
        )
      val keys = HiveEntry.columnsOf(found.getPartitionKeys)
      if (
        keys.map(key => key.name -> key.dataType) != entry.columns.keys.map(k =>
          k.name -> k.dataType
        )
      )
        throw target.failed(
          s"the existing entry has other partition columns (${keys.map(_.name).mkString(", ")})",
          "Drop the entry, which deletes no files, and run CALL hive_sync(table => '...') again."
        )
    }

    /** Folders of the partitions that hold a base file, by the texts of the partition columns. */
    private def partitions: Map[Seq[String], Path] = table.snapshot.occupied().map { path =>
      val values = PartitionPath.decode(path, table.config).getOrElse {
        throw target.failed(
          s"the partition values cannot be parsed from the path $path",
          "Run CALL verify(table => '...') to find the cause."
        )
      }
      values.map(_.getOrElse(PartitionPath.DefaultValue)) -> Storage.resolve(table.basePath, path)
    }.toMap

    private def listed(): Set[Seq[String]] = {
      val keys = entry.columns.keys.map(_.name)
      val names =
        if (keys.isEmpty) Nil
        else client.listPartitionNames(target.database, target.name, -1.toShort).asScala
      names.flatMap { name =>
        PartitionPath.decode(name, keys, hiveStyle = true, urlEncode = true)
      }.map(_.map(_.getOrElse(PartitionPath.DefaultValue))).toSet
    }

    private def add(fresh: Seq[(Seq[String], Path)]): Unit =
      fresh.grouped(partitionsAtATime).foreach { some =>
        val made = some.map { case (values, folder) => entry.partition(values, folder) }
        client.add_partitions(made.asJava, true, false)
      }

    private def drop(gone: Set[Seq[String]]): Unit = {
      val options = PartitionDropOptions.instance().deleteData(false).ifExists(true)
      gone.foreach { values =>
        client.dropPartition(target.database, target.name, values.asJava, options)
      }
    }

    /** Updates an existing entry. Must run last: the entry names the synced commit, and its
      * partitions must show that commit by then. A change of columns includes the partitions. */
    private def alter(old: Table, change: HiveEntry.Difference): Unit = {
      val context = new EnvironmentContext()
      context.putToProperties(StatsSetupConst.DO_NOT_UPDATE_STATS, StatsSetupConst.TRUE)
      if (change.columns > 0)
        context.putToProperties(StatsSetupConst.CASCADE, StatsSetupConst.TRUE)
      client.alter_table_with_environmentContext(
        target.database,
        target.name,
        entry.applied(old, change),
        context
      )
    }
  }
}
