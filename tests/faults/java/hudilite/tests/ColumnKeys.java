package hudilite.tests;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.crypto.ColumnDecryptionProperties;
import org.apache.parquet.crypto.ColumnEncryptionProperties;
import org.apache.parquet.crypto.DecryptionPropertiesFactory;
import org.apache.parquet.crypto.EncryptionPropertiesFactory;
import org.apache.parquet.crypto.FileDecryptionProperties;
import org.apache.parquet.crypto.FileEncryptionProperties;
import org.apache.parquet.hadoop.api.WriteSupport.WriteContext;
import org.apache.parquet.hadoop.metadata.ColumnPath;

/** Keys of Parquet files: the column `v` of new ones is encrypted where {@link #SWITCH} says so. */
public final class ColumnKeys implements EncryptionPropertiesFactory, DecryptionPropertiesFactory {
  /** Hadoop's setting that turns it on. */
  public static final String SWITCH = "hudilite.tests.encrypted";

  private static final byte[] KEY = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final ColumnPath COLUMN = ColumnPath.get("v");

  @Override
  public FileEncryptionProperties getFileEncryptionProperties(
      Configuration conf, Path path, WriteContext context) {
    if (!conf.getBoolean(SWITCH, false)) {
      return null;
    }
    ColumnEncryptionProperties column =
        ColumnEncryptionProperties.builder(COLUMN).withKey(KEY).build();
    return FileEncryptionProperties.builder(KEY)
        .withPlaintextFooter()
        .withEncryptedColumns(Map.of(COLUMN, column))
        .build();
  }

  @Override
  public FileDecryptionProperties getFileDecryptionProperties(Configuration conf, Path path) {
    ColumnDecryptionProperties column =
        ColumnDecryptionProperties.builder(COLUMN).withKey(KEY).build();
    return FileDecryptionProperties.builder()
        .withFooterKey(KEY)
        .withColumnKeys(Map.of(COLUMN, column))
        .withPlaintextFilesAllowed()
        .build();
  }
}
