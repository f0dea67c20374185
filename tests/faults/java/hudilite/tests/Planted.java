package hudilite.tests;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.concurrent.atomic.AtomicLong;

/** An object that notes it when somebody makes it from stored bytes. */
public final class Planted implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final AtomicLong READ = new AtomicLong();

  /** How often it was read. */
  public static long read() {
    return READ.get();
  }

  /** Its stored bytes. */
  public static byte[] bytes() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(new Planted());
    }
    return bytes.toByteArray();
  }

  private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
    in.defaultReadObject();
    READ.incrementAndGet();
  }
}
