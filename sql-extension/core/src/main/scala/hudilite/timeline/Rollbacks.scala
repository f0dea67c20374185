package hudilite.timeline

import scala.jdk.CollectionConverters._

import org.apache.avro.generic.GenericRecord

/** Reader of the instants that the rollbacks and restores on the timeline roll back.
  * Source: hudi-format §3.10 (HoodieRollbackPlan, HoodieRollbackMetadata, HoodieRestorePlan). */
private[hudilite] object Rollbacks {
  private val actions = Set("rollback", "restore")
  private val naming =
    Set("instantToRollback", "instantsToRollback", "instantsRollback", "commitsRollback")

  /** Whether a planned or completed rollback or restore names an instant. Only one with a later
    * instant can. */
  def name(files: TimelineFiles, timeline: Timeline, time: String): Boolean =
    of(files, timeline, time).nonEmpty

  /** Returns these rollbacks and restores, in order; a completed one as its completed instant. */
  def of(files: TimelineFiles, timeline: Timeline, time: String): Vector[Instant] =
    timeline.instants
      .filter(i => actions(i.action) && i.state != Instant.Inflight && i.time > time)
      .filter(i => named(files.records(i)).contains(time))
      .groupBy(_.time)
      .toVector
      .sortBy(_._1)
      .map(_._2.maxBy(_.state == Instant.Completed))

  private def named(records: Seq[GenericRecord]): Set[String] =
    records
      .flatMap(fields(_).collect { case (field, value) if naming(field) => texts(value) }.flatten)
      .toSet

  private def fields(record: GenericRecord): Seq[(String, AnyRef)] =
    record.getSchema.getFields.asScala.toSeq.map(f => f.name -> record.get(f.pos))

  private def texts(value: Any): Seq[String] = value match {
    case text: CharSequence => Seq(text.toString)
    case record: GenericRecord => fields(record).flatMap(f => texts(f._2))
    case list: java.util.Collection[_] => list.asScala.toSeq.flatMap(texts)
    case _ => Seq.empty
  }
}
