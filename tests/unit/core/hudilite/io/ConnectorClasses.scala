package org.apache.hadoop.fs {
  package s3a {

    /** A hadoop-aws that knows no conditional create, by its name. */
    class S3AFileSystem extends RawLocalFileSystem {
      override protected def checkPath(path: Path): Unit = ()
    }
  }
  package azurebfs {

    /** ABFS's connector by its name: its rename tells a loser with false. */
    class AzureBlobFileSystem extends RawLocalFileSystem {
      override protected def checkPath(path: Path): Unit = ()
      override def rename(from: Path, to: Path): Boolean =
        !java.nio.file.Files.exists(pathToFile(to).toPath) && super.rename(from, to)
    }
    class SecureAzureBlobFileSystem extends AzureBlobFileSystem
  }
}

package com.google.cloud.hadoop.fs.gcs {

  /** GCS's connector by its name. */
  class GoogleHadoopFileSystem extends hudilite.io.FakeStore(isConditional = false)
}
