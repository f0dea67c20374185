-- Hand: the rows of an equal table without log files
-- Parts of one large file slice with log files, each read by a task, and aggregates of slices without log files.
-- Config: spark.sql.files.maxPartitionBytes=64k
-- Config: spark.sql.files.openCostInBytes=0

statement
CREATE TABLE t (id BIGINT, n INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (type = 'mor')

statement
INSERT INTO t SELECT id, CAST(id % 7 AS INT), concat('value ', xxhash64(id)) FROM range(3000)

query
SELECT count(*), min(id), max(id) FROM t

query
MERGE INTO t USING (SELECT id * 10 AS id, 100 AS n, concat('new ', id) AS v FROM range(305)) s ON t.id = s.id
WHEN MATCHED AND s.id % 100 = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED AND s.id % 100 > 0 THEN INSERT *

query
SELECT count(*) > 1 FROM (SELECT DISTINCT spark_partition_id() FROM t WHERE id + n >= 0 AND v > '')

query
SELECT count(*), count(DISTINCT id), sum(id), sum(n), min(id), max(id) FROM t

query
SELECT count(*), sum(id), min(v), max(v) FROM t WHERE n = 100

query
SELECT count(*), sum(id) FROM t WHERE n < 100

query
SELECT id, n, v FROM t WHERE id IN (0, 9, 10, 2990, 3000, 3040) ORDER BY id

-- A table with an ordering field: its slices are not split, as a row of the base may win.
statement
CREATE TABLE e (id BIGINT, n INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1
TBLPROPERTIES (type = 'mor', preCombineField = 'n')

statement
INSERT INTO e SELECT id, CAST(id % 7 AS INT), concat('value ', xxhash64(id)) FROM range(3000)

query
MERGE INTO e USING (SELECT id * 10 AS id, 3 AS n, concat('new ', id) AS v FROM range(305)) s ON e.id = s.id
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *

query
SELECT count(*) FROM (SELECT DISTINCT spark_partition_id() FROM e)

query
SELECT count(*), count(DISTINCT id), sum(id), sum(n), count(IF(v LIKE 'new%', 1, NULL)) FROM e

query
SELECT count(*), sum(id), sum(n) FROM e WHERE n < 3
