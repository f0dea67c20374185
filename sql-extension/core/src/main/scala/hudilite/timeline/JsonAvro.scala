package hudilite.timeline

import java.util.{LinkedHashMap => JavaMap}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import org.apache.avro.Schema
import org.apache.avro.generic.GenericRecord

/** Conversion of JSON to the Avro record with the same fields. Stock Hudi archives the commits of
  * table version 6, whose files are JSON, in this form. */
private[timeline] object JsonAvro {

  /** Returns the record. A field that is absent or null has the schema's default; one that the
    * schema lacks is left out. */
  def record(node: JsonNode, schema: Schema): GenericRecord = {
    val found = for {
      field <- schema.getFields.asScala.toSeq
      own <- Option(node.get(field.name)) if !own.isNull
    } yield field.name -> value(own, field.schema)
    AvroFile.record(schema, found: _*)
  }

  private def value(node: JsonNode, schema: Schema): Any = schema.getType match {
    case Schema.Type.UNION =>
      value(node, schema.getTypes.asScala.find(_.getType != Schema.Type.NULL).getOrElse(schema))
    case Schema.Type.RECORD => record(node, schema)
    case Schema.Type.ARRAY => Json.items(node).map(value(_, schema.getElementType)).asJava
    case Schema.Type.MAP =>
      val map = new JavaMap[String, Any]
      Json.entries(node).filterNot(_._2.isNull).foreach { case (key, item) =>
        map.put(key, value(item, schema.getValueType))
      }
      map
    case Schema.Type.BOOLEAN => node.asBoolean
    case Schema.Type.INT => node.asInt
    case Schema.Type.LONG => node.asLong
    case _ => node.asText
  }
}
