package hudilite.tests;

import hudilite.io.Storage;
import hudilite.io.Storage$;
import java.lang.reflect.Proxy;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** Storage that forces nothing to the disk while it is told so; the calls are the same. */
public final class WithoutFsync implements Storage.Layer {
  private static final AtomicLong FORCED = new AtomicLong();
  private static volatile boolean off;

  /** From now on nothing is forced, or everything as usual. */
  public static void turn(boolean without) {
    off = without;
  }

  /**
   * Files and folders that were forced since the last question: a new file and its name are two;
   * folders that had to be made are not counted.
   */
  public static long forced() {
    return FORCED.getAndSet(0);
  }

  @Override
  public Storage over(Storage plain) {
    return (Storage)
        Proxy.newProxyInstance(
            Storage.class.getClassLoader(),
            new Class<?>[] {Storage.class},
            (proxy, method, arguments) -> {
              boolean forces =
                  method.getName().equals("createNew") || method.getName().equals("fsync");
              if (forces && off) {
                return method.getName().equals("fsync") ? null : link(arguments);
              }
              Object told = method.invoke(plain, arguments);
              if (forces && !Boolean.FALSE.equals(told)) {
                FORCED.addAndGet(2);
              }
              return told;
            });
  }

  private static boolean link(Object[] arguments) throws Exception {
    org.apache.hadoop.fs.Path asked = (org.apache.hadoop.fs.Path) arguments[0];
    Path path = Path.of(asked.toUri().getPath());
    Path temporary = Path.of(Storage$.MODULE$.temporary(asked).toUri().getPath());
    Files.createDirectories(path.getParent());
    Files.write(temporary, (byte[]) arguments[1]);
    try {
      Files.createLink(path, temporary);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    } finally {
      Files.deleteIfExists(temporary);
    }
  }
}
