package hudilite.tests;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/**
 * An HDFS of one name node and two data nodes on this host. Prints its uri, then answers each line of
 * standard input, a command, by a line: `ok`, with what was asked for, or `failed` with a reason.
 */
public final class MiniDfs {
  private static final PrintStream ANSWERS = System.out;

  private final MiniDFSCluster cluster;

  private MiniDfs(MiniDFSCluster cluster) {
    this.cluster = cluster;
  }

  /** Arguments: the folder of the cluster. */
  public static void main(String[] arguments) throws Exception {
    System.setOut(System.err); // Log4j writes errors to standard output
    Configuration conf = new Configuration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, arguments[0]);
    conf.set("dfs.blocksize", String.valueOf(8 << 20)); // a space quota is charged by blocks
    MiniDFSCluster cluster = new MiniDFSCluster.Builder(conf).numDataNodes(2).build();
    cluster.waitActive();
    tell(cluster.getURI().toString());
    MiniDfs served = new MiniDfs(cluster);
    BufferedReader asked =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = asked.readLine(); line != null; line = asked.readLine()) {
      tell(served.answer(line.split(" ")));
    }
    cluster.shutdown(true);
    System.exit(0);
  }

  private static void tell(String line) {
    ANSWERS.println(line);
    ANSWERS.flush();
  }

  private String answer(String[] words) {
    try {
      return ("ok " + run(words)).trim();
    } catch (Exception e) {
      return "failed " + e.toString().replace('\n', ' ');
    }
  }

  private String run(String[] words) throws Exception {
    switch (words[0]) {
      case "kill-data-node":
        cluster.stopDataNode(0);
        return "";
      case "restart-data-nodes":
        // The cluster's list lacks the data nodes that were stopped.
        cluster.startDataNodes(files().getConf(), 2 - cluster.getDataNodes().size(), true, null, null);
        cluster.waitActive();
        return "";
      case "restart-name-node":
        cluster.restartNameNode(true);
        return "";
      case "safe-mode":
        files().setSafeMode(
            words[1].equals("on") ? SafeModeAction.ENTER : SafeModeAction.FORCE_EXIT);
        return "";
      case "quota":
        files().setQuota(new Path(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]));
        return "";
      case "count":
        return String.valueOf(files().globStatus(new Path(words[1])).length);
      case "fetch":
        files().copyToLocalFile(false, new Path(words[1]), new Path(words[2]), true);
        return "";
      default:
        throw new IllegalArgumentException(words[0]);
    }
  }

  private DistributedFileSystem files() throws Exception {
    return cluster.getFileSystem();
  }
}
