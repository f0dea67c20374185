package hudilite.spark.verify

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic.SparkSession

import hudilite.io.Storage
import hudilite.timeline.TimelineFiles
import hudilite.verify.{Finding, TableCheck}

/** Findings about a whole table: its timeline and listings, and the content of its base files. Runs
  * on the driver and starts the Spark jobs that read base files. Reads and never writes. */
object TableFindings {

  /** Checks a table. Damage of the table is a finding and never an error.
    * @return findings, the worst first */
  def of(session: SparkSession, basePath: Path, level: CheckLevel): Seq[Finding] = {
    val storage = Storage.of(basePath, session.sessionState.newHadoopConf())
    val timeline = TimelineFiles.of(storage, basePath)
    val readsFiles = level != CheckLevel.Meta
    val checked = TableCheck.run(timeline, files = readsFiles)
    val ofFiles = checked.table.filter(_ => readsFiles).toSeq.flatMap { table =>
      new BaseFileCheck(session, table).findings(rows = level == CheckLevel.Rows)
    }
    (checked.findings ++ ofFiles).sorted(Finding.order)
  }
}
