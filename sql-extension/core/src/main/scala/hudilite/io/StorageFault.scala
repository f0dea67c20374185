package hudilite.io

import java.io.IOException

import scala.util.control.NonFatal

import hudilite.error.HudiliteException

/** Recognition of the faults of a storage for which a user can do something: a right that is
  * missing, a quota or a disk that is used up, HDFS in safe mode, wrong credentials, an address that
  * does not answer. The classes of connectors are known by name alone. */
object StorageFault {
  private val condition = "HUDILITE_STORAGE_FAILED"
  private val maxDetail = 300

  /** Returns the error for a user, if a fault of the storage is among the causes of an exception and
    * no hudilite error is.
    * @return HUDILITE_STORAGE_FAILED with the exception as its cause, or the exception itself */
  def explain(thrown: Throwable): Throwable =
    if (HudiliteException.find(thrown).nonEmpty) thrown
    else
      known(kinds, thrown).orElse(known(silent, thrown)).fold(thrown) { case (kind, at) =>
        error(kind, at, thrown)
      }

  /** Runs a part of a statement, and explains what it throws. */
  def explained[A](body: => A): A =
    try body
    catch { case NonFatal(e) => throw explain(e) }

  /** Fault and remedy.
    * @param classes names of exceptions without their packages
    * @param words   parts of messages of exceptions; looked for only in IOExceptions */
  private final case class Kind(
      reason: String,
      fix: String,
      classes: Set[String] = Set.empty,
      words: Set[String] = Set.empty
  )

  private val room = "Delete what is not needed, for example earlier file versions with CALL clean."

  /** The first one that fits counts. */
  private val kinds = Seq(
    Kind(
      "the HDFS name node is in safe mode, in which nothing can be written",
      "Run the statement again when hdfs dfsadmin -safemode get says OFF.",
      classes = Set("SafeModeException")
    ),
    Kind(
      "the folder's quota of files and folders is used up",
      s"$room Or have the quota raised (hdfs dfsadmin -setQuota).",
      classes = Set("NSQuotaExceededException")
    ),
    Kind(
      "the folder's quota of space is used up",
      s"$room Or have the quota raised (hdfs dfsadmin -setSpaceQuota).",
      classes = Set("DSQuotaExceededException", "QuotaByStorageTypeExceededException")
    ),
    Kind(
      "the disk is full",
      room,
      words = Set("No space left on device", "Disk quota exceeded", "could only be written to 0 of")
    ),
    Kind(
      "the file system is mounted read-only",
      "Mount it for writing, or choose another location.",
      words = Set("Read-only file system")
    ),
    Kind(
      "the clock of this host differs too much from that of the store",
      "Set the clock of this host.",
      words = Set("RequestTimeTooSkewed")
    ),
    Kind(
      "the store does not accept the access key",
      "Check spark.hadoop.fs.s3a.access.key and spark.hadoop.fs.s3a.secret.key, or the provider " +
        "of credentials.",
      words = Set("InvalidAccessKeyId", "SignatureDoesNotMatch")
    ),
    Kind(
      "there are no credentials for the store",
      "Set spark.hadoop.fs.s3a.aws.credentials.provider, or the keys that it reads.",
      classes = Set("NoAuthWithAWSException", "NoAwsCredentialsException")
    ),
    Kind(
      "the bucket does not exist",
      "Check the name of the bucket in the location.",
      classes = Set("UnknownStoreException")
    ),
    Kind(
      "the bucket is in another region",
      "Set spark.hadoop.fs.s3a.endpoint.region.",
      classes = Set("AWSRedirectException")
    ),
    Kind(
      "this user has no right to do this",
      "Grant the user of this process the rights to read, write and delete below the location.",
      classes = Set("AccessControlException", "AccessDeniedException")
    ),
    Kind(
      "it cannot be reached",
      "Check its address and whether it runs.",
      words = Set(
        "failed on connection exception",
        "End of File Exception between",
        "Failed on local exception",
        "UnknownHostException"
      )
    )
  )

  /** Those that count if no other fits any of the causes. */
  private val silent = Seq(
    Kind(
      "it did not answer in time, and it is not known whether it created a file",
      "Run the statement again. If this happens often, check the store and the network.",
      classes = Set("UnknownOutcomeException")
    ),
    Kind(
      "it did not answer in time, or had too many requests",
      "Run the statement again. If this happens often, check the store and the network.",
      classes = Set(
        "StoreTimeoutException",
        "AWSApiCallTimeoutException",
        "AWSNoResponseException",
        "AWSServiceThrottledException",
        "AWSStatus500Exception"
      )
    ),
    Kind(
      "it answered that what the statement asks for is missing, in conflict or wrong",
      "Run the statement again. If this happens often, check the store, and whether another " +
        "program changes files of the table.",
      classes = Set(
        "NoSuchKeyException",
        "S3Exception",
        "AWSS3IOException",
        "AWSServiceIOException",
        "AWSClientIOException",
        "AWSBadRequestException"
      )
    )
  )

  private def known(among: Seq[Kind], thrown: Throwable): Option[(Kind, Throwable)] =
    HudiliteException.causes(thrown).flatMap(at => among.find(fits(_, at)).map(_ -> at)).headOption

  private def fits(kind: Kind, thrown: Throwable): Boolean =
    kind.classes(thrown.getClass.getSimpleName) ||
      (thrown.isInstanceOf[IOException] && kind.words.exists(thrown.toString.contains))

  private def error(kind: Kind, at: Throwable, thrown: Throwable) = new HudiliteException(
    condition,
    Map("reason" -> kind.reason, "detail" -> detail(at), "fix" -> kind.fix),
    thrown
  )

  /** The first line of an exception's message, without the full stop. */
  private[io] def detail(thrown: Throwable): String = {
    val line = Option(thrown.getMessage).getOrElse(thrown.toString).linesIterator.nextOption()
    val text = line.getOrElse("").map(c => if (c.isControl) ' ' else c).trim.stripSuffix(".")
    if (text.length > maxDetail) s"${text.take(maxDetail)}..." else text
  }
}
