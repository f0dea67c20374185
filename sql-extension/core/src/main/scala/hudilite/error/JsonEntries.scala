package hudilite.error

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** The entries of an object in a JSON file of this jar. */
private[error] object JsonEntries {

  /** @param resource path of the file
    * @return in the order of the file */
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
