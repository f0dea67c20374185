package hudilite.timeline

import java.io.ByteArrayOutputStream

import scala.util.Using

import org.apache.avro.SchemaBuilder
import org.apache.avro.file.DataFileWriter
import org.apache.avro.generic.{GenericDatumWriter, GenericRecord, GenericRecordBuilder}

/** The requested file of a replacecommit that is no clustering: Hudi's HoodieRequestedReplaceMetadata
  * with nothing planned, as stock's insert overwrite leaves it.
  * Source: hudi-format §3.1, §3.8. */
private[timeline] object RequestedReplace {
  private val syncLength = 16

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
  def bytes: Array[Byte] = {
    val out = new ByteArrayOutputStream
    Using.resource(
      new DataFileWriter(new GenericDatumWriter[GenericRecord](schema))
        .create(schema, out, new Array[Byte](syncLength))
    )(_.append(new GenericRecordBuilder(schema).build))
    out.toByteArray
  }
}
