package hudilite.error

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** Reader of the entries of the JSON object in a resource file of this jar. */
private[error] object JsonEntries {

  /** Reads the entries in the order of the file.
    * @param resource path of the file */
  def of(resource: String): Vector[(String, JsonNode)] =
    Using.resource(getClass.getResourceAsStream(resource)) { in =>
      new ObjectMapper()
        .readTree(in)
        .properties()
        .asScala
        .toVector
        .map(entry => entry.getKey -> entry.getValue)
    }
}
