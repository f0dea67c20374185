"""Runs inside the stock environment (pyspark 3.5, Hudi bundle): answers requests line by line.

Usage: stock_server.py <class path> <work folder> <options of the JVM> <settings>. The class path begins
with the bundle jar. Settings, requests and answers are JSON objects.
"""

import ast
import json
import sys

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, expr, lit

WRITER = {
    "hoodie.write.table.version": "6",
    "hoodie.write.auto.upgrade": "false",
    "hoodie.metadata.enable": "false",
    "hoodie.datasource.write.hive_style_partitioning": "true",
    "hoodie.upsert.shuffle.parallelism": "2",
    "hoodie.insert.shuffle.parallelism": "2",
}


def open_session(classes: str, work: str, java: str, settings: str) -> SparkSession:
    builder = SparkSession.builder.master("local[2]").appName("stock")
    for key, value in {
        "spark.driver.extraClassPath": classes,
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.sql.extensions": "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
        "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
        "spark.sql.warehouse.dir": f"{work}/warehouse",
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.memory": "1200m",
        "spark.driver.extraJavaOptions": java,
        "spark.sql.shuffle.partitions": "2",
        # To compile code for a statement that comes once takes longer than its few rows.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
        "spark.sql.parquet.enableNestedColumnVectorizedReader": "true",
        **json.loads(settings),
    }.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


class Server:
    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark

    def read(self, request: dict) -> dict:
        reader = self.spark.read.format("hudi").options(**request.get("options", {}))
        frame = reader.load(request["path"])
        return self._keep(frame.select(*request.get("columns", frame.columns)), request)

    def where(self, request: dict) -> dict:
        frame = self.spark.read.format("hudi").load(request["path"])
        return self._keep(frame.where(request["condition"]), request)

    def sql(self, request: dict) -> dict:
        return self._keep(self.spark.sql(request["text"]), request)

    def python(self, request: dict) -> dict:
        """Runs lines of Python; the rows are those of the value of the last one."""
        names = {"spark": self.spark, "col": col, "expr": expr, "lit": lit}
        lines = ast.parse(request["text"]).body
        last = lines.pop() if isinstance(lines[-1], ast.Expr) else None
        exec(compile(ast.Module(lines, []), "statement", "exec"), names)
        if last is None:
            return {}
        value = eval(compile(ast.Expression(last.value), "statement", "eval"), names)
        return self._keep(value, request) if isinstance(value, DataFrame) else {}

    def write(self, request: dict) -> dict:
        frame = self.spark.read.parquet(request["source"])
        options = request["options"] if request.get("defaults") else WRITER | request["options"]
        frame.write.format("hudi").options(**options).mode(request["mode"]).save(request["path"])
        return {}

    def buckets(self, request: dict) -> dict:
        java = self.spark._jvm.org.apache.hudi.index.bucket.BucketIdentifier
        return {"buckets": [java.getBucketId(k, f, n) for k, f, n in request["keys"]]}

    def checkpoint(self, request: dict) -> dict:
        """The checkpoint from which a writer with an id resumes; None where there is none."""
        hudi = self.spark._jvm.org.apache.hudi
        conf = hudi.hadoop.fs.HadoopFSUtils.getStorageConf(self.spark._jsc.hadoopConfiguration())
        client = hudi.common.table.HoodieTableMetaClient.builder().setConf(conf)
        timeline = client.setBasePath(request["path"]).build().getActiveTimeline()
        find = hudi.common.util.CommitUtils.getValidCheckpointForCurrentWriter
        return {"checkpoint": find(timeline, request["key"], request["id"]).orElse(None)}

    def listing(self, request: dict) -> dict:
        """Names and lengths of the files of each partition, as Hudi's metadata table lists them."""
        apache = self.spark._jvm.org.apache.hudi
        context = apache.client.common.HoodieSparkEngineContext(self.spark.sparkContext._jsc)
        client = (
            apache.common.table.HoodieTableMetaClient.builder()
            .setConf(context.getStorageConf())
            .setBasePath(request["path"])
            .build()
        )
        config = apache.common.config.HoodieMetadataConfig.newBuilder().enable(True).build()
        table = apache.metadata.HoodieBackedTableMetadata(
            context, client.getStorage(), config, request["path"]
        )
        found = {}
        for partition in table.getAllPartitionPaths():
            path = apache.storage.StoragePath(f"{request['path']}/{partition}")
            files = table.getAllFilesInPartition(path)
            found[partition] = {file.getPath().getName(): file.getLength() for file in files}
        table.close()
        return {"listing": found}

    def _keep(self, frame: DataFrame, request: dict) -> dict:
        if request.get("out"):
            frame.coalesce(1).write.mode("overwrite").parquet(request["out"])
        return {"schema": json.loads(frame.schema.json())}


def text_of(fault: Exception) -> str:
    """Each fault of the chain of causes by its own text."""
    texts, cause = [f"{type(fault).__name__}"], getattr(fault, "java_exception", None)
    while cause is not None and len(texts) < 12:
        texts.append(str(cause.toString())[:800])
        cause = cause.getCause()
    return "\ncaused by: ".join(texts if len(texts) > 1 else [str(fault)[:4000]])


def main() -> None:
    server = Server(open_session(*sys.argv[1:]))
    server.spark.sparkContext.setLogLevel("ERROR")
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(server, request["op"])(request)
        except Exception as fault:  # noqa: BLE001 - every fault goes back to the asking test
            answer = {"error": text_of(fault)}
        print(json.dumps(answer), flush=True)
    end(server.spark)


def end(spark: SparkSession) -> None:
    """Ends the JVM, too: it may have an archive to write."""
    gateway = spark.sparkContext._gateway
    spark.stop()
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait()


if __name__ == "__main__":
    main()
