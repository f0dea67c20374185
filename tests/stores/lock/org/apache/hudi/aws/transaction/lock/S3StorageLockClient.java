package org.apache.hudi.aws.transaction.lock;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.util.Properties;
import java.util.function.Function;
import org.apache.hudi.client.transaction.lock.StorageLockClient;
import org.apache.hudi.client.transaction.lock.models.LockGetResult;
import org.apache.hudi.client.transaction.lock.models.LockUpsertResult;
import org.apache.hudi.client.transaction.lock.models.StorageLockData;
import org.apache.hudi.client.transaction.lock.models.StorageLockFile;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.spark.SparkEnv;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.apache.ApacheHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Requests of stock Hudi's StorageBasedLockProvider to the tests' server. The class of this name in
 * hudi-aws asks the cloud; stock Hudi finds either by the name.
 */
public final class S3StorageLockClient implements StorageLockClient {
  private static final int ABSENT = 404;
  private static final int CHANGED = 412;

  private final S3Client client;
  private final String bucket;
  private final String key;

  public S3StorageLockClient(String owner, String file, Properties properties) {
    URI place = URI.create(file);
    bucket = place.getHost();
    key = place.getPath().substring(1);
    Function<String, String> setting = n -> SparkEnv.get().conf().get("spark.hadoop.fs.s3a." + n);
    client =
        S3Client.builder()
            .endpointOverride(URI.create(setting.apply("endpoint")))
            .region(Region.of(setting.apply("endpoint.region")))
            .forcePathStyle(true)
            .httpClientBuilder(ApacheHttpClient.builder())
            .credentialsProvider(
                StaticCredentialsProvider.create(
                    AwsBasicCredentials.create(
                        setting.apply("access.key"), setting.apply("secret.key"))))
            .build();
  }

  @Override
  public Pair<LockGetResult, Option<StorageLockFile>> readCurrentLockFile() {
    try {
      var found = client.getObjectAsBytes(get -> get.bucket(bucket).key(key));
      var content = new ByteArrayInputStream(found.asByteArray());
      String tag = found.response().eTag();
      return Pair.of(
          LockGetResult.SUCCESS, Option.of(StorageLockFile.createFromStream(content, tag)));
    } catch (S3Exception e) {
      boolean absent = e.statusCode() == ABSENT;
      return Pair.of(
          absent ? LockGetResult.NOT_EXISTS : LockGetResult.UNKNOWN_ERROR, Option.empty());
    }
  }

  @Override
  public Pair<LockUpsertResult, Option<StorageLockFile>> tryUpsertLockFile(
      StorageLockData wanted, Option<StorageLockFile> previous) {
    var put = PutObjectRequest.builder().bucket(bucket).key(key);
    if (previous.isPresent()) {
      put.ifMatch(previous.get().getVersionId());
    } else {
      put.ifNoneMatch("*");
    }
    try {
      byte[] content = StorageLockFile.toByteArray(wanted);
      String tag = client.putObject(put.build(), RequestBody.fromBytes(content)).eTag();
      return Pair.of(LockUpsertResult.SUCCESS, Option.of(new StorageLockFile(wanted, tag)));
    } catch (S3Exception e) {
      boolean changed = e.statusCode() == CHANGED;
      return Pair.of(
          changed ? LockUpsertResult.ACQUIRED_BY_OTHERS : LockUpsertResult.UNKNOWN_ERROR,
          Option.empty());
    } catch (SdkException e) {
      return Pair.of(LockUpsertResult.UNKNOWN_ERROR, Option.empty());
    }
  }

  @Override
  public Option<String> readObject(String path, boolean mayBeAbsent) {
    return Option.empty();
  }

  @Override
  public boolean writeObject(String path, String content) {
    return false;
  }

  @Override
  public void close() {
    client.close();
  }
}
