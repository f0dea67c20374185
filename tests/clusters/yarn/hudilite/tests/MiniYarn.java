package hudilite.tests;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.NodeManager;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;

/**
 * A YARN of one resource manager and one node manager on 127.0.0.1. Prints the folder of its settings
 * when a node is there, and ends with standard input. Hadoop's own MiniYARNCluster listens on every
 * address that the name of this host has.
 */
public final class MiniYarn {
  private static final PrintStream ANSWERS = System.out;

  private static final List<String> ADDRESSES =
      List.of(
          YarnConfiguration.RM_ADDRESS,
          YarnConfiguration.RM_ADMIN_ADDRESS,
          YarnConfiguration.RM_RESOURCE_TRACKER_ADDRESS,
          YarnConfiguration.RM_SCHEDULER_ADDRESS,
          YarnConfiguration.RM_WEBAPP_ADDRESS,
          YarnConfiguration.NM_ADDRESS,
          YarnConfiguration.NM_LOCALIZER_ADDRESS,
          YarnConfiguration.NM_WEBAPP_ADDRESS);

  private MiniYarn() {}

  /** Arguments: the uri of the file system, the folder of the cluster. */
  public static void main(String[] arguments) {
    System.setOut(System.err); // Log4j writes errors to standard output
    try {
      run(arguments[0], Path.of(arguments[1]));
      System.exit(0);
    } catch (Throwable e) { // threads of a server that has not started would keep the JVM alive
      e.printStackTrace();
      System.exit(1);
    }
  }

  private static void run(String files, Path folder) throws Exception {
    DefaultMetricsSystem.setMiniClusterMode(true); // two servers in one JVM
    ResourceManager resources = new ResourceManager();
    resources.init(settings(files, folder));
    resources.start();
    NodeManager node = new NodeManager();
    node.init(new YarnConfiguration(resources.getConfig()));
    node.start();
    while (resources.getResourceScheduler().getNumClusterNodes() == 0) {
      Thread.sleep(100);
    }
    ANSWERS.println(written(resources, folder.resolve("conf")));
    ANSWERS.flush();
    while (System.in.read() != -1) {}
    node.stop();
    resources.stop();
  }

  private static YarnConfiguration settings(String files, Path folder) {
    YarnConfiguration conf = new YarnConfiguration();
    conf.set(FileSystem.FS_DEFAULT_NAME_KEY, files);
    ADDRESSES.forEach(key -> conf.set(key, "127.0.0.1:0"));
    conf.set("hadoop.tmp.dir", folder.resolve("tmp").toString());
    conf.set(YarnConfiguration.NM_LOCAL_DIRS, folder.resolve("local").toString());
    conf.set(YarnConfiguration.NM_LOG_DIRS, folder.resolve("logs").toString());
    conf.set(YarnConfiguration.NM_MAX_PER_DISK_UTILIZATION_PERCENTAGE, "100");
    conf.setInt(YarnConfiguration.NM_PMEM_MB, 5120);
    conf.setInt(YarnConfiguration.NM_VCORES, 8);
    conf.setBoolean(YarnConfiguration.NM_VMEM_CHECK_ENABLED, false);
    conf.setInt(YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB, 128);
    conf.setInt(YarnConfiguration.RM_NM_HEARTBEAT_INTERVAL_MS, 200);
    conf.setInt(YarnConfiguration.RM_AM_MAX_ATTEMPTS, 1);
    // An application whose cluster is gone does not wait for it.
    conf.setInt(YarnConfiguration.RESOURCEMANAGER_CONNECT_MAX_WAIT_MS, 20000);
    conf.setInt(YarnConfiguration.RESOURCEMANAGER_CONNECT_RETRY_INTERVAL_MS, 1000);
    String queue = "yarn.scheduler.capacity.root.";
    conf.set(queue + "queues", "default");
    conf.set(queue + "default.capacity", "100");
    conf.set(queue + "default.maximum-am-resource-percent", "1");
    return conf;
  }

  /** Writes the settings, with the ports that are now known, as a client reads them. */
  private static Path written(ResourceManager resources, Path folder) throws Exception {
    Files.createDirectories(folder);
    for (String name : List.of("core-site.xml", "yarn-site.xml")) {
      try (OutputStream file = Files.newOutputStream(folder.resolve(name))) {
        resources.getConfig().writeXml(file);
      }
    }
    return folder;
  }
}
