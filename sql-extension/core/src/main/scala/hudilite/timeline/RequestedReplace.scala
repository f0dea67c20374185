package hudilite.timeline

import org.apache.avro.SchemaBuilder
import org.apache.avro.generic.{GenericRecord, GenericRecordBuilder}

/** Content of the requested file of a replacecommit that is not a clustering: Hudi's
  * HoodieRequestedReplaceMetadata without a plan, as stock Hudi's insert overwrite writes it.
  * Source: hudi-format §3.1, §3.8. */
private[hudilite] object RequestedReplace {
  private val schema = SchemaBuilder
    .record("HoodieRequestedReplaceMetadata")
    .namespace("org.apache.hudi.avro.model")
    .fields
    .name("operationType").`type`.unionOf.nullType.and.stringType.endUnion.nullDefault
    .name("clusteringPlan").`type`.unionOf.nullType.endUnion.nullDefault
    .name("extraMetadata").`type`.unionOf.nullType.endUnion.nullDefault
    .name("version").`type`.unionOf.intType.and.nullType.endUnion.intDefault(1)
    .endRecord

  /** Returns the record. */
  def record: GenericRecord = new GenericRecordBuilder(schema).build
}
