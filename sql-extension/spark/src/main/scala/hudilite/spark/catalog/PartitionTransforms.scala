package hudilite.spark.catalog

import org.apache.spark.sql.connector.expressions.{Literal, Transform}
import org.apache.spark.sql.types.{DataType, DateType, IntegerType, StringType}

/** Partition transforms of Iceberg, each with the generated column that has its values. */
private[catalog] object PartitionTransforms {

  /** Returns what to write instead of a transform.
    * @param column column that the transform is applied to, as the schema spells it; None: it has
    *               none at its top level */
  def fix(transform: Transform, column: Option[String]): String =
    column.flatMap(generated(transform, _)).fold("Write a top-level column.") {
      case (name, dataType, value) =>
        s"Declare a column of its values, $name ${dataType.sql} GENERATED ALWAYS AS ($value), or add " +
          s"$value AS $name to the query of AS SELECT. Then write PARTITIONED BY ($name)."
    }

  /** Name, type and value of the column. Values of hours and months are texts, because a folder's name
    * cannot contain a timestamp. */
  private def generated(transform: Transform, of: String): Option[(String, DataType, String)] =
    transform.name match {
      case "years" => Some((s"${of}_year", IntegerType, s"year($of)"))
      case "months" => Some((s"${of}_month", StringType, s"date_format($of, 'yyyy-MM')"))
      case "days" => Some((s"${of}_day", DateType, s"CAST($of AS DATE)"))
      case "hours" => Some((s"${of}_hour", StringType, s"date_format($of, 'yyyy-MM-dd-HH')"))
      case "truncate" => transform.arguments.collectFirst { case width: Literal[_] =>
          (s"${of}_start", StringType, s"substring($of, 1, ${width.value})")
        }
      case _ => None
    }
}
