package hudilite.tests;

import hudilite.error.HudiliteException;
import hudilite.io.CheckedStep;
import hudilite.io.LocationCheck;
import hudilite.io.Storage;
import hudilite.io.Storage$;
import hudilite.io.UnknownOutcomeException;
import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Makes calls of a storage as its standard input says, a line each: `set key value`, then `createNew
 * path text`, `interrupted path text` (createNew in an interrupted thread), `plain path text` (Hadoop's
 * own create without overwrite), `touch path`, `replace path text`, `read path`, `first path` (what the first reader of a file sees that is
 * not there yet), `list path` or `check path` (whose result is each step with its outcome and detail),
 * between tabs. Answers with a line: the result and the milliseconds that it took, between tabs as well.
 */
public final class StoreCalls {
  private static final PrintStream ANSWERS = System.out;

  private static final long PATIENCE = 30_000_000_000L;

  private final Configuration conf = new Configuration();

  public static void main(String[] arguments) throws Exception {
    System.setOut(System.err); // Log4j writes errors to standard output
    StoreCalls calls = new StoreCalls();
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split("\t", -1);
      long started = System.nanoTime();
      String result = calls.result(words);
      ANSWERS.println(result + "\t" + (System.nanoTime() - started) / 1_000_000);
      ANSWERS.flush();
    }
  }

  private String result(String[] words) {
    try {
      return call(words);
    } catch (UnknownOutcomeException e) {
      return "unknown";
    } catch (HudiliteException e) {
      return e.condition() + ": " + e.parameters().get("reason").get();
    } catch (Exception e) {
      return (e.getClass().getSimpleName() + ": " + e.getMessage()).replaceAll("\\s+", " ");
    }
  }

  private String call(String[] words) throws Exception {
    if (words[0].equals("set")) {
      conf.set(words[1], words[2]);
      return "";
    }
    Path path = new Path(words[1]);
    if (words[0].equals("check")) {
      return check(path);
    }
    Storage storage = Storage$.MODULE$.of(path.getParent(), conf);
    switch (words[0]) {
      case "createNew":
        return "" + storage.createNew(path, bytes(words[2]));
      case "interrupted":
        Thread.currentThread().interrupt();
        boolean created = storage.createNew(path, bytes(words[2]));
        return created + (Thread.interrupted() ? "" : ", and the interrupt is lost");
      case "touch":
        storage.touch(path);
        return "true";
      case "replace":
        storage.replace(path, bytes(words[2]));
        return "true";
      case "plain":
        return "" + plain(path, bytes(words[2]));
      case "read":
        return new String(storage.read(path), StandardCharsets.UTF_8);
      case "first":
        return first(path);
      default:
        return storage.names(path).mkString(",");
    }
  }

  private String check(Path location) {
    LocationCheck check = new LocationCheck(location, conf, () -> System.nanoTime());
    List<String> steps = new ArrayList<>();
    for (var each = check.results().iterator(); each.hasNext(); ) {
      CheckedStep step = each.next();
      String detail = step.detail().replaceAll("\\s+", " ");
      steps.add(step.name() + " " + step.outcome() + " " + detail);
    }
    return String.join("\t", steps);
  }

  private boolean plain(Path path, byte[] bytes) throws Exception {
    try (var out = FileSystem.get(path.toUri(), conf).create(path, false)) {
      out.write(bytes);
    } catch (org.apache.hadoop.fs.FileAlreadyExistsException e) {
      return false;
    }
    return true;
  }

  private String first(Path path) throws Exception {
    FileSystem files = FileSystem.get(path.toUri(), conf);
    for (long end = System.nanoTime() + PATIENCE; System.nanoTime() < end; ) {
      try (var in = files.open(path)) {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
      } catch (FileNotFoundException e) {
        Thread.sleep(2);
      }
    }
    return "never seen";
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
