package hudilite.tests;

import hudilite.timeline.Instant;
import hudilite.timeline.TimelineCodec;
import hudilite.timeline.TimelineLayout;
import hudilite.timeline.Version6Layout;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import scala.Option;

/**
 * A layout in which every file and folder has another name than in table version 6, files of
 * instants have another form, and the name of a completed file has a time of completion. A JVM uses it that was started with
 * `-Dhudilite.timeline.layout=hudilite.tests.SecondLayout`. Nothing but tests reads such tables;
 * tests/harness/names.py knows the names, too.
 */
public final class SecondLayout implements TimelineLayout {
  private static final long serialVersionUID = 1L;
  private static final Pattern FILE =
      Pattern.compile("(asked|begun|done)-(\\d+)(?:_(\\d+))?\\.([a-z]+)");

  @Override
  public String version() {
    return Version6Layout.version();
  }

  @Override
  public String metadata() {
    return ".second";
  }

  @Override
  public String properties() {
    return ".second/table.properties";
  }

  @Override
  public String timeline() {
    return ".second/instants";
  }

  @Override
  public String markers() {
    return ".second/marks";
  }

  @Override
  public String bootstrapIndex() {
    return ".second/sources/index";
  }

  @Override
  public String bucketRules() {
    return ".second/rules";
  }

  @Override
  public String commits() {
    return ".second/own/numbers";
  }

  @Override
  public String streams() {
    return ".second/own/queries";
  }

  @Override
  public String statistics() {
    return ".second/own/estimates";
  }

  @Override
  public String footers() {
    return ".second/own/ends";
  }

  @Override
  public TimelineCodec codec() {
    return new SecondCodec();
  }

  @Override
  public String fileName(Instant instant) {
    String time = instant.time();
    switch (instant.state().toString()) {
      case "Requested":
        return "asked-" + time + "." + instant.action();
      case "Inflight":
        return "begun-" + time + "." + instant.action();
      default:
        String completion = instant.completion().isEmpty() ? "" : "_" + instant.completion().get();
        return "done-" + time + completion + "." + instant.action();
    }
  }

  @Override
  public Option<Instant> completed(String time, String action, Option<String> completion) {
    Instant done = Version6Layout.completed(time, action, completion).get();
    return Option.apply(new Instant(time, action, done.state(), Option.apply(time)));
  }

  /** Reads a name by way of the name that the instant has in version 6. */
  @Override
  public Option<Instant> parse(String fileName) {
    Matcher found = FILE.matcher(fileName);
    if (!found.matches()) {
      return Option.empty();
    }
    String action = found.group(4);
    Option<Instant> instant = Version6Layout.parse(found.group(2) + ending(found.group(1), action));
    if (found.group(3) == null || instant.isEmpty()) {
      return instant;
    }
    Instant done = instant.get();
    Option<String> completion = Option.apply(found.group(3));
    return Option.apply(new Instant(done.time(), done.action(), done.state(), completion));
  }

  private static String ending(String state, String action) {
    switch (state) {
      case "asked":
        return "." + action + ".requested";
      case "begun":
        return (action.equals("commit") ? "" : "." + action) + ".inflight";
      default:
        return "." + action;
    }
  }

  @Override
  public boolean mayBeCompletedWrite(String fileName) {
    return fileName.startsWith("done-");
  }
}
