package hudilite.spark.read

import java.io.IOException
import java.nio.ByteBuffer
import java.util.{Collections, LinkedHashMap, Map => JavaMap}

import org.apache.avro.{AvroRuntimeException, Schema}
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.vectorized.{
  OffHeapColumnVector,
  OnHeapColumnVector,
  WritableColumnVector
}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

import hudilite.error.HudiliteException

/** Reader of the records of an AVRO_DATA block of a log file, in batches (task side). All batches have
  * the same vectors.
  * Source: merge-on-read §1.1.
  * @param record  decoder of a record
  * @param rows    most rows of a batch */
private final class AvroBatches(
    content: Array[Byte],
    path: String,
    record: AvroValues.Record,
    rows: Int,
    offHeap: Boolean
) extends PartitionReader[ColumnarBatch] {
  private val block = ByteBuffer.wrap(content)
  private val input = new AvroInput(content)
  private var left = AvroBatches.count(block, path)
  private val vector: WritableColumnVector = {
    val capacity = math.max(1, math.min(rows, left))
    if (offHeap) new OffHeapColumnVector(capacity, record.of)
    else new OnHeapColumnVector(capacity, record.of)
  }
  private val batch =
    new ColumnarBatch(Array.tabulate[ColumnVector](record.of.length)(vector.getChild(_)))

  override def next(): Boolean = {
    val taken = math.min(rows, left)
    vector.reset()
    AvroBatches.named(path)((0 until taken).foreach(_ => decode()))
    batch.setNumRows(taken)
    left -= taken
    taken > 0
  }

  private def decode(): Unit = {
    val length = if (block.remaining < Integer.BYTES) -1 else block.getInt()
    if (length < 0 || length > block.remaining)
      throw new AvroRuntimeException("an Avro block ends within a record")
    input.goTo(block.position(), length)
    record.append(input, vector)
    block.position(block.position() + length): Unit
  }

  override def get(): ColumnarBatch = batch
  override def close(): Unit = vector.close()
}

private[read] object AvroBatches {

  /** Opens the rows of a block.
    * @param schemaText schema of the block's header, with which the records were written
    * @param content    content of the block; must not change
    * @param columns    columns to read; those that the schema does not have are null
    * @param path       log file, for errors
    * Errors: HUDILITE_CORRUPT_DATA_FILE; HUDILITE_COLUMN_TYPE_MISMATCH. */
  def open(
      schemaText: String,
      content: Array[Byte],
      columns: StructType,
      path: String,
      isCaseSensitive: Boolean,
      settings: BatchSettings
  ): BlockRows = {
    val record = new AvroColumns(path, isCaseSensitive).record(schema(schemaText, path), columns)
    BlockRows.of(settings, count(ByteBuffer.wrap(content), path).toLong, columns.size, parts = 1) {
      rows =>
        val batches = new AvroBatches(content, path, record.toLastRead, rows, settings.offHeap)
        if (record.of == columns) batches else ChangedTypes(columns, record.of).converted(batches)
    }
  }

  /** Parses the schema in a block's header.
    * @param path log file, for errors
    * Errors: HUDILITE_CORRUPT_DATA_FILE. */
  def schema(text: String, path: String): Schema =
    named(path)(schemas.computeIfAbsent(text, parse(_)))

  /** Reads the beginning of a block. All versions that stock Hudi has written have the count. */
  private def count(block: ByteBuffer, path: String): Int = named(path) {
    if (block.remaining < 2 * Integer.BYTES)
      throw new AvroRuntimeException("an Avro block ends before its first record")
    val version = block.getInt()
    if (version < 1 || version > newestVersion)
      throw new AvroRuntimeException(s"an Avro block has the unknown version $version")
    val count = block.getInt()
    if (count < 0 || count > block.remaining / Integer.BYTES)
      throw new AvroRuntimeException(s"an Avro block cannot contain $count records")
    count
  }

  private val newestVersion = 3

  private def parse(text: String): Schema = {
    val schema = new Schema.Parser().parse(text)
    if (schema.getType != Schema.Type.RECORD)
      throw new AvroRuntimeException("the schema of an Avro block is not a record")
    schema
  }

  /** Runs `read`; an error that tells of damaged bytes names the file. */
  private def named[T](path: String)(read: => T): T =
    try read
    catch {
      case e @ (_: IOException | _: AvroRuntimeException | _: IndexOutOfBoundsException |
          _: ArithmeticException) =>
        throw new HudiliteException(
          "HUDILITE_CORRUPT_DATA_FILE",
          Map("path" -> path, "reason" -> String.valueOf(e.getMessage)),
          e
        )
    }

  /** Schemas of this JVM that were used last, by their texts: most log files of a table have the same. */
  private val schemas: JavaMap[String, Schema] = Collections.synchronizedMap(
    new LinkedHashMap[String, Schema](2 * mostSchemas, 0.75f, true) {
      override def removeEldestEntry(eldest: JavaMap.Entry[String, Schema]): Boolean =
        size > mostSchemas
    }
  )

  private final val mostSchemas = 64
}
