package hudilite.tests;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * Hadoop's local file system with its calls counted and broken by the plan that is armed: the
 * bytes of base files take this way. Hadoop casts what serves file: to LocalFileSystem, so it is
 * one. Parquet's many small writes count by pieces of 64 KiB.
 */
public final class FaultFileSystem extends LocalFileSystem {
  private static final int PIECE = 1 << 16;

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    return around("open", path, () -> super.open(path, bufferSize));
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    FSDataOutputStream out =
        around(
            "create",
            path,
            () ->
                super.create(
                    path, permission, overwrite, bufferSize, replication, blockSize, progress));
    return new FSDataOutputStream(
        new BufferedOutputStream(new Counted(out, path), PIECE), null);
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    return around("delete", path, () -> super.delete(path, recursive));
  }

  @Override
  public boolean rename(Path from, Path to) throws IOException {
    return around("rename", to, () -> super.rename(from, to));
  }

  @Override
  public boolean mkdirs(Path path) throws IOException {
    return around("mkdirs", path, () -> super.mkdirs(path));
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    return around("list", path, () -> super.listStatus(path));
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    return around("status", path, () -> super.getFileStatus(path));
  }

  private static <A> A around(String operation, Path path, Callable<A> call) throws IOException {
    return around(operation, path, call, () -> null);
  }

  private static <A> A around(
      String operation, Path path, Callable<A> call, Callable<?> partly) throws IOException {
    try {
      return FaultDoor.around(operation, path.toString(), call, partly);
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  /** What a file gets, call by call. */
  private static final class Counted extends OutputStream {
    private final OutputStream out;
    private final Path path;

    Counted(OutputStream out, Path path) {
      this.out = out;
      this.path = path;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      around(
          "write",
          path,
          () -> put(bytes, offset, length),
          () -> put(bytes, offset, length / 2));
    }

    @Override
    public void flush() throws IOException {
      out.flush();
    }

    @Override
    public void close() throws IOException {
      around(
          "close",
          path,
          () -> {
            out.close();
            return null;
          });
    }

    private Void put(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
      return null;
    }
  }
}
