package hudilite.tests;

import java.net.URI;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** Local files under a scheme that nobody knows. */
public final class OtherFileSystem extends RawLocalFileSystem {
  @Override
  public URI getUri() {
    return URI.create("other:///");
  }

  @Override
  public String getScheme() {
    return "other";
  }

  @Override
  protected void checkPath(Path path) {}
}
