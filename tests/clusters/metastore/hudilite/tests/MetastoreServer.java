package hudilite.tests;

import java.io.PrintStream;
import java.net.InetSocketAddress;

import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.conf.HiveConf.ConfVars;
import org.apache.hadoop.hive.metastore.HiveMetaStore;
import org.apache.hadoop.hive.metastore.api.ThriftHiveMetastore;
import org.apache.thrift.server.TThreadPoolServer;
import org.apache.thrift.transport.TServerSocket;

/**
 * A Hive metastore over an embedded Derby, served on 127.0.0.1. Prints its uri. Hive's own main class
 * listens on every address of the host.
 */
public final class MetastoreServer {
  private static final PrintStream ANSWERS = System.out;

  private MetastoreServer() {}

  /** Arguments: the folder of the database, which does not exist yet. */
  public static void main(String[] arguments) throws Exception {
    System.setOut(System.err); // Log4j writes errors to standard output
    HiveConf conf = new HiveConf();
    String place = "jdbc:derby:;databaseName=" + arguments[0] + "/database;create=true";
    conf.setVar(ConfVars.METASTORECONNECTURLKEY, place);
    conf.setVar(ConfVars.METASTOREWAREHOUSE, arguments[0] + "/warehouse");
    conf.setBoolVar(ConfVars.METASTORE_AUTO_CREATE_ALL, true);
    conf.setBoolVar(ConfVars.METASTORE_SCHEMA_VERIFICATION, false);
    ThriftHiveMetastore.Iface handler =
        HiveMetaStore.newRetryingHMSHandler("metastore", conf, false);
    TServerSocket socket = new TServerSocket(new InetSocketAddress("127.0.0.1", 0));
    TThreadPoolServer server =
        new TThreadPoolServer(
            new TThreadPoolServer.Args(socket)
                .processor(new ThriftHiveMetastore.Processor<>(handler)));
    ANSWERS.println("thrift://127.0.0.1:" + socket.getServerSocket().getLocalPort());
    ANSWERS.flush();
    server.serve();
  }
}
