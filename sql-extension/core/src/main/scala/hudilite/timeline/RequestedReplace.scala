package hudilite.timeline

import org.apache.avro.SchemaBuilder
import org.apache.avro.generic.GenericRecordBuilder

/** The requested file of a replacecommit that is no clustering: Hudi's HoodieRequestedReplaceMetadata
  * with nothing planned, as stock's insert overwrite leaves it.
  * Source: hudi-format §3.1, §3.8. */
private[timeline] object RequestedReplace {
  private val schema = SchemaBuilder
    .record("HoodieRequestedReplaceMetadata")
    .namespace("org.apache.hudi.avro.model")
    .fields
    .name("operationType").`type`.unionOf.nullType.and.stringType.endUnion.nullDefault
    .name("clusteringPlan").`type`.unionOf.nullType.endUnion.nullDefault
    .name("extraMetadata").`type`.unionOf.nullType.endUnion.nullDefault
    .name("version").`type`.unionOf.intType.and.nullType.endUnion.intDefault(1)
    .endRecord

  /** An Avro container file, the same each time. */
  def bytes: Array[Byte] = AvroFile.bytes(new GenericRecordBuilder(schema).build)
}
