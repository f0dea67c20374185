package hudilite.timeline

/** Checkpoints that programs of stock Hudi store in the commits that they make: Hudi Streamer, and
  * sinks of Spark's structured streaming. Such a program looks for its latest checkpoint on the active
  * timeline, also behind commits of others, and goes on from there.
  * Source: Hudi's StreamerCheckpointUtils, CommitUtils.getValidCheckpointForCurrentWriter. */
private[hudilite] object StoredCheckpoints {
  private val ofStreamer = Seq(
    "deltastreamer.checkpoint.key",
    "deltastreamer.checkpoint.reset_key",
    "streamer.checkpoint.key.v2",
    "streamer.checkpoint.reset.key.v2"
  )
  private val ofSinks = "_hudi_streaming_sink_checkpoint"

  /** Returns the programs whose checkpoint a commit contains, as words for a message. */
  def programs(metadata: CommitMetadata): Set[String] =
    streamer(metadata.extra) ++ metadata.extra.get(ofSinks).toSet.flatMap(sinks)

  private def streamer(extra: Map[String, String]): Set[String] =
    if (ofStreamer.exists(extra.get(_).exists(_.nonEmpty))) Set("Hudi Streamer") else Set.empty

  /** Returns the sinks of a checkpoint, which is a JSON object with the id of each. */
  private def sinks(text: String): Set[String] =
    Json.keys(text).fold(Set("a streaming query"))(_.map(id => s"streaming query $id"))
}
