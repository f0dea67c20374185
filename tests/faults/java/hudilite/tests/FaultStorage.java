package hudilite.tests;

import hudilite.io.CreateGuarantee;
import hudilite.io.FileEntry;
import hudilite.io.Storage;
import hudilite.io.Storage$;
import hudilite.io.TaggedWrites;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.apache.hadoop.fs.Path;
import scala.Option;
import scala.collection.immutable.Seq;

/** Storage whose calls are counted and broken as a plan says, or wait at a gate. */
public final class FaultStorage implements Storage {
  private final Storage inner;
  private final Supplier<FaultRun> current;

  private FaultStorage(Storage inner, Supplier<FaultRun> current) {
    this.inner = inner;
    this.current = current;
  }

  /** Storage with a plan of its own. */
  public static Storage over(Storage inner, FaultPlan plan) {
    FaultRun run = new FaultRun("", plan);
    return over(inner, () -> run);
  }

  /**
   * Storage whose plan changes.
   *
   * @param current the run that counts when a call is made; null for none
   */
  public static Storage over(Storage inner, Supplier<FaultRun> current) {
    return new FaultStorage(inner, current);
  }

  @Override
  public Seq<FileEntry> list(Path dir, scala.Function1 detailed) {
    return around("list", dir, () -> inner.list(dir, detailed));
  }

  @Override
  public Seq<String> names(Path dir) {
    return around("names", dir, () -> inner.names(dir));
  }

  @Override
  public Option<TaggedWrites> tagged() {
    return inner.tagged();
  }

  @Override
  public int longListing() {
    return inner.longListing();
  }

  @Override
  public Option<FileEntry> status(Path path) {
    return around("status", path, () -> inner.status(path));
  }

  @Override
  public byte[] read(Path path) {
    return around("read", path, () -> inner.read(path));
  }

  @Override
  public boolean createNew(Path path, byte[] bytes) {
    Callable<Boolean> half = () -> writeHalf(path, bytes);
    return around("createNew", path, () -> inner.createNew(path, bytes), half);
  }

  @Override
  public CreateGuarantee guarantee() {
    return inner.guarantee();
  }

  /** Counts as the other way to make a file. */
  @Override
  public void touch(Path path) {
    Callable<Boolean> half = () -> writeHalf(path, new byte[0]);
    around("createNew", path, done(() -> inner.touch(path)), half);
  }

  @Override
  public void replace(Path path, byte[] bytes) {
    Callable<Boolean> half = () -> writeHalf(path, bytes);
    around("replace", path, done(() -> inner.replace(path, bytes)), half);
  }

  @Override
  public boolean delete(Path path) {
    return around("delete", path, () -> inner.delete(path));
  }

  @Override
  public boolean deleteTree(Path dir) {
    return around("deleteTree", dir, () -> inner.deleteTree(dir));
  }

  @Override
  public boolean deleteEmpty(Path dir) {
    return around("deleteEmpty", dir, () -> inner.deleteEmpty(dir));
  }

  @Override
  public void mkdirs(Path dir) {
    around("mkdirs", dir, done(() -> inner.mkdirs(dir)));
  }

  /** Counts where a file is made in it: on Hadoop's side. */
  @Override
  public void enter(Path base, String relative) {
    inner.enter(base, relative);
  }

  @Override
  public void fsync(Path path) {
    around("fsync", path, done(() -> inner.fsync(path)));
  }

  private <A> A around(String operation, Path path, Callable<A> call) {
    return around(operation, path, call, () -> null);
  }

  private <A> A around(String operation, Path path, Callable<A> call, Callable<?> partly) {
    FaultRun run = current.get();
    String text = path.toString();
    try {
      return FaultGate.around(
          operation,
          text,
          () -> run == null ? call.call() : run.around(operation, text, call, partly));
    } catch (Exception e) {
      throw FaultStorage.<RuntimeException>unchecked(e);
    }
  }

  /** Scala's methods throw checked exceptions without a word of it. */
  @SuppressWarnings("unchecked")
  private static <E extends Exception> E unchecked(Exception e) throws E {
    throw (E) e;
  }

  private static Callable<Boolean> done(Runnable call) {
    return () -> {
      call.run();
      return true;
    };
  }

  /** What is left of a write that breaks off: a temporary file that nobody takes away. */
  private boolean writeHalf(Path path, byte[] bytes) {
    return inner.createNew(
        Storage$.MODULE$.temporary(path), Arrays.copyOf(bytes, bytes.length / 2));
  }
}
