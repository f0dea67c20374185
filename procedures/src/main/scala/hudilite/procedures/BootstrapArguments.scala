package hudilite.procedures

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.classic.SparkSession

import hudilite.error.HudiliteException
import hudilite.format.IndexKind
import hudilite.spark.bootstrap.BootstrapRequest

/** Arguments of a CALL bootstrap, from their values to a request. */
private[procedures] object BootstrapArguments {
  private val full = "full"
  private val modes = Seq("metadata", full)
  private val mergeOnRead = "mor"
  private val types = Seq("cow", mergeOnRead)

  /** Parses and checks the arguments. Reads nothing of the source.
    * Errors: HUDILITE_ARGUMENT_INVALID. */
  def of(session: SparkSession, arguments: Arguments): BootstrapRequest = {
    val isFull = arguments.choice(8, "mode", modes) == full
    val buckets = arguments.numberOrNone(9, "buckets", 1, IndexKind.maxBuckets)
    buckets.filterNot(_ => isFull).foreach { n =>
      throw arguments.invalid(
        "buckets",
        n.toString,
        "Mode metadata does not put rows into buckets. Remove the argument, or write mode => 'full'."
      )
    }
    val fullPartitions = filter(arguments, 5, "full_partitions")
    fullPartitions.filter(_ => isFull).foreach { text =>
      throw arguments.invalid("full_partitions", text,
        "Mode full rewrites all partitions: remove the argument.")
    }
    BootstrapRequest(
      target(session, arguments),
      arguments.text(1, "source",
        "Write a folder or the name of a table, for example '/data/events'.").trim,
      arguments.columns("key",
        arguments.text(2, "key", "Write the names of the key columns, for example 'id,day'.")),
      arguments.textOrNone(3).map(arguments.columns("partitioned_by", _)),
      filter(arguments, 4, "partitions"),
      fullPartitions,
      filter(arguments, 6, "location"),
      arguments.flag(7, "dry_run"),
      isFull,
      buckets,
      arguments.numberOrNone(10, "parallelism", 1, Int.MaxValue),
      arguments.flag(11, "skip_corrupt"),
      arguments.choice(12, "type", types) == mergeOnRead,
      arguments.textOrNone(13).map(arguments.columns("ordering_field", _).mkString(",")),
      arguments.flag(14, "bloom_filters")
    )
  }

  private def filter(arguments: Arguments, ordinal: Int, argument: String): Option[String] =
    arguments.textOrNone(ordinal).map { text =>
      if (text.trim.isEmpty)
        throw arguments.invalid(argument, "", "Write a value, or remove the argument.")
      text.trim
    }

  private def target(session: SparkSession, arguments: Arguments): TableIdentifier = {
    val text = arguments.text(0, "table", "Write the name of the new table, for example 'db.t'.")
    val names =
      try session.sessionState.sqlParser.parseMultipartIdentifier(text)
      catch { case e: ParseException => throw invalidName(arguments, text, e) }
    arguments.ownIdentifier(session, names)
      .map(ident => TableIdentifier(ident.name, ident.namespace.headOption))
      .getOrElse(throw arguments.invalid("table", text, "Write table or database.table."))
  }

  private def invalidName(arguments: Arguments, text: String, e: ParseException) = {
    val fault = arguments.invalid("table", text,
      "Put a name with other characters into backticks: '`my-table`'.")
    new HudiliteException(fault.condition, fault.parameters, e)
  }
}
