package org.apache.hadoop.fs {
  import java.net.URI
  import java.nio.file.Files

  import org.apache.hadoop.conf.Configuration

  package s3a {

    /** A hadoop-aws that knows no conditional create, by its name. */
    class S3AFileSystem extends RawLocalFileSystem {
      override protected def checkPath(path: Path): Unit = ()
    }
  }
  package azurebfs {

    /** ABFS's connector by its name: its rename tells a loser with false. */
    class AzureBlobFileSystem(overwrites: Boolean) extends RawLocalFileSystem {
      private var place = URI.create("abfs://container")

      def this() = this(false)
      override def initialize(name: URI, conf: Configuration): Unit = {
        super.initialize(name, conf)
        place = name.resolve("/")
      }
      override def getUri: URI = Option(place).getOrElse(URI.create("abfs://container"))
      override protected def checkPath(path: Path): Unit = ()
      override def rename(from: Path, to: Path): Boolean = {
        val (source, target) = (pathToFile(from).toPath, pathToFile(to).toPath)
        if (overwrites) Files.deleteIfExists(target): Unit
        try {
          Files.createLink(target, source)
          Files.delete(source)
          true
        } catch { case _: java.nio.file.FileAlreadyExistsException => false }
      }
    }
    class SecureAzureBlobFileSystem extends AzureBlobFileSystem
  }
}

package com.google.cloud.hadoop.fs.gcs {

  /** GCS's connector by its name. */
  class GoogleHadoopFileSystem(ignores: Boolean)
      extends hudilite.io.FakeStore(isConditional = false, ignores = ignores) {
    def this() = this(false)
  }
}
