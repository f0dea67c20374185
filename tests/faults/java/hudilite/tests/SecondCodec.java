package hudilite.tests;

import static java.nio.charset.StandardCharsets.US_ASCII;

import hudilite.timeline.CommitMetadata;
import hudilite.timeline.Timeline$;
import hudilite.timeline.TimelineCodec;
import hudilite.timeline.Version6Layout;
import java.util.Arrays;
import org.apache.avro.generic.GenericRecord;
import org.apache.hadoop.fs.Path;
import scala.collection.immutable.Map;
import scala.collection.immutable.Vector;

/**
 * The codec of {@link SecondLayout}: a word, then the bytes of table version 6 in reverse order. So
 * whoever reads or writes an instant's file without the codec fails.
 */
public final class SecondCodec implements TimelineCodec {
  private static final long serialVersionUID = 1L;
  private static final TimelineCodec PLAIN = Version6Layout.codec();
  private static final byte[] WORD = "second\n".getBytes(US_ASCII);

  @Override
  public byte[] encodeCommit(String json, String action, Path path) {
    return wrap(PLAIN.encodeCommit(json, action, path));
  }

  @Override
  public CommitMetadata decodeCommit(byte[] bytes, Path path) {
    return PLAIN.decodeCommit(unwrap(bytes, path), path);
  }

  @Override
  public byte[] encodeInflight(Map<String, String> extra) {
    return wrap(PLAIN.encodeInflight(extra));
  }

  @Override
  public byte[] encode(GenericRecord entry) {
    return wrap(PLAIN.encode(entry));
  }

  @Override
  public Vector<GenericRecord> decode(byte[] bytes, Path path) {
    return PLAIN.decode(unwrap(bytes, path), path);
  }

  private static byte[] wrap(byte[] bytes) {
    byte[] wrapped = Arrays.copyOf(WORD, WORD.length + bytes.length);
    for (int i = 0; i < bytes.length; i++) {
      wrapped[wrapped.length - 1 - i] = bytes[i];
    }
    return wrapped;
  }

  private static byte[] unwrap(byte[] wrapped, Path path) {
    if (!Arrays.equals(Arrays.copyOf(wrapped, WORD.length), WORD)) {
      throw Timeline$.MODULE$.corrupt(path, "it does not begin with the word of the second layout");
    }
    byte[] bytes = new byte[wrapped.length - WORD.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = wrapped[wrapped.length - 1 - i];
    }
    return bytes;
  }
}
