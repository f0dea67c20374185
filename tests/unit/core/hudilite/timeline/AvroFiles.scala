package hudilite.timeline

import java.io.ByteArrayOutputStream
import java.nio.file.Files

import scala.jdk.CollectionConverters._

import org.apache.avro.Schema
import org.apache.avro.file.DataFileWriter
import org.apache.avro.generic.{GenericDatumWriter, GenericRecordBuilder}
import org.apache.hadoop.fs.Path

import hudilite.io.{Storage, TempFolder}

/** Timeline files as stock Hudi writes them, cut down to the fields that name instants. */
object AvroFiles {
  private val instantInfo =
    """{"type":"record","name":"HoodieInstantInfo","fields":[
      |{"name":"commitTime","type":"string"},
      |{"name":"action","type":"string"}]}""".stripMargin

  /** A planned rollback of one instant; its requests also name the version before as
    * latestBaseInstant. */
  def rollbackPlan(base: Path, time: String, names: String): Unit = {
    val schema = new Schema.Parser().parse(
      s"""{"type":"record","name":"HoodieRollbackPlan","fields":[
         |{"name":"instantToRollback","type":["null",$instantInfo]},
         |{"name":"latestBaseInstant","type":"string"},
         |{"name":"version","type":["int","null"]}]}""".stripMargin
    )
    val info = new GenericRecordBuilder(schema.getField("instantToRollback").schema.getTypes.get(1))
      .set("commitTime", names)
      .set("action", "commit")
      .build()
    write(base, s"$time.rollback.requested", schema, "instantToRollback" -> info)
  }

  /** A requested replacecommit, with a clustering plan or without. */
  def requestedReplace(base: Path, time: String, isClustering: Boolean): Unit = {
    val schema = new Schema.Parser().parse(
      """{"type":"record","name":"HoodieRequestedReplaceMetadata","fields":[
        |{"name":"latestBaseInstant","type":"string"},
        |{"name":"version","type":["int","null"]},
        |{"name":"clusteringPlan","type":["null","string"]}]}""".stripMargin
    )
    val plan = if (isClustering) "plan" else Option.empty[AnyRef].orNull
    write(base, s"$time.replacecommit.requested", schema, "clusteringPlan" -> plan)
  }

  /** A completed rollback of one instant. */
  def rollback(base: Path, time: String, names: String): Unit = {
    val schema = new Schema.Parser().parse(
      """{"type":"record","name":"HoodieRollbackMetadata","fields":[
        |{"name":"commitsRollback","type":{"type":"array","items":"string"}},
        |{"name":"latestBaseInstant","type":"string"},
        |{"name":"version","type":["int","null"]}]}""".stripMargin
    )
    write(base, s"$time.rollback", schema, "commitsRollback" -> List(names).asJava)
  }

  /** A planned restore that takes back one instant. */
  def restorePlan(base: Path, time: String, names: String): Unit = {
    val schema = new Schema.Parser().parse(
      s"""{"type":"record","name":"HoodieRestorePlan","fields":[
         |{"name":"instantsToRollback","type":{"type":"array","items":$instantInfo}},
         |{"name":"latestBaseInstant","type":"string"},
         |{"name":"version","type":["int","null"]}]}""".stripMargin
    )
    val info = new GenericRecordBuilder(schema.getField("instantsToRollback").schema.getElementType)
      .set("commitTime", names)
      .set("action", "commit")
      .build()
    write(base, s"$time.restore.requested", schema, "instantsToRollback" -> List(info).asJava)
  }

  private def write(base: Path, name: String, schema: Schema, field: (String, AnyRef)): Unit = {
    val record = new GenericRecordBuilder(schema)
      .set(field._1, field._2)
      .set("latestBaseInstant", "20200101000000000")
      .set("version", 1)
      .build()
    val bytes = new ByteArrayOutputStream
    val writer = new DataFileWriter(new GenericDatumWriter[AnyRef](schema))
    writer.create(schema, bytes)
    writer.append(record)
    writer.close()
    Files.write(TempFolder.local(Storage.resolve(base, s".hoodie/$name")), bytes.toByteArray): Unit
  }
}
