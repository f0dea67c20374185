package hudilite.procedures

import java.util.{Collections, Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{LocalScan, Scan}
import org.apache.spark.sql.types.StructType

/** Result rows of a procedure, as one local scan. */
object Result {

  def of(schema: StructType, answer: Seq[InternalRow]): JavaIterator[Scan] = {
    val scan: Scan = new LocalScan {
      override def rows: Array[InternalRow] = answer.toArray
      override def readSchema: StructType = schema
    }
    Collections.singleton(scan).iterator
  }
}
