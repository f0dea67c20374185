package hudilite.timeline

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.avro.AvroRuntimeException
import org.apache.avro.file.{DataFileReader, SeekableByteArrayInput}
import org.apache.avro.generic.{GenericDatumReader, GenericRecord}
import org.apache.hadoop.fs.Path

import hudilite.io.Storage

/** Reads which instants the timeline's rollbacks and restores take back.
  * Source: hudi-format §3.10 (HoodieRollbackPlan, HoodieRollbackMetadata, HoodieRestorePlan). */
private[timeline] object Rollbacks {
  private val actions = Set("rollback", "restore")
  private val naming =
    Set("instantToRollback", "instantsToRollback", "instantsRollback", "commitsRollback")

  /** Whether a rollback or restore, planned or done, names an instant. Only later ones can. */
  def name(storage: Storage, basePath: Path, timeline: Timeline, time: String): Boolean =
    timeline.instants.exists { i =>
      actions(i.action) && i.state != Instant.Inflight && i.time > time &&
      named(storage.read(i.path(basePath)), i.path(basePath)).contains(time)
    }

  private def named(bytes: Array[Byte], path: Path): Set[String] =
    try
      Using.resource(
        new DataFileReader(new SeekableByteArrayInput(bytes), new GenericDatumReader[GenericRecord])
      ) { reader =>
        reader.iterator.asScala.flatMap { record =>
          fields(record).collect { case (field, value) if naming(field) => texts(value) }.flatten
        }.toSet
      }
    catch {
      case e: java.io.IOException => throw Timeline.corrupt(path, e.getMessage)
      case e: AvroRuntimeException => throw Timeline.corrupt(path, e.getMessage)
    }

  private def fields(record: GenericRecord): Seq[(String, AnyRef)] =
    record.getSchema.getFields.asScala.toSeq.map(f => f.name -> record.get(f.pos))

  private def texts(value: Any): Seq[String] = value match {
    case text: CharSequence => Seq(text.toString)
    case record: GenericRecord => fields(record).flatMap(f => texts(f._2))
    case list: java.util.Collection[_] => list.asScala.toSeq.flatMap(texts)
    case _ => Seq.empty
  }
}
