-- Hand: plans
-- Config: spark.sql.shuffle.partitions=2
-- Config: spark.sql.adaptive.enabled=true
-- Config: spark.sql.maxMetadataStringLength=1000

statement
CREATE TABLE t (id BIGINT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 4

statement
CREATE TABLE b (id BIGINT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)

statement
CREATE TABLE s (id BIGINT, p STRING, v STRING) USING parquet

statement
INSERT INTO t SELECT id, concat('p', id % 3), 'v' FROM range(60)

statement
INSERT INTO b SELECT id, concat('p', id % 3), 'v' FROM range(60)

-- The source names the partition of each row: what it will name is not known before it runs.
query
EXPLAIN MERGE INTO t USING s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET *

-- Without the partition column every partition may hold the key.
query
EXPLAIN MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v

-- ON leaves one partition.
query
EXPLAIN MERGE INTO t USING s ON t.id = s.id AND t.p = 'p1' WHEN MATCHED THEN UPDATE SET v = s.v

query
EXPLAIN MERGE INTO t USING s ON t.id = s.id AND t.p IN ('p1', 'p2') WHEN MATCHED THEN UPDATE SET v = s.v

-- Rows without a source row may lie in what their clause leaves.
query
EXPLAIN MERGE INTO t USING s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET v = s.v
WHEN NOT MATCHED BY SOURCE AND t.p = 'p0' THEN DELETE

query
EXPLAIN UPDATE t SET v = 'w' WHERE p = 'p2' AND id IN (1, 2)

query
EXPLAIN DELETE FROM t WHERE p = 'p2' AND v = 'x'

query
EXPLAIN MERGE INTO b USING s ON b.id = s.id AND b.p = s.p WHEN MATCHED THEN UPDATE SET *

query
EXPLAIN MERGE INTO b USING s ON b.id = s.id AND b.p = 'p1' WHEN MATCHED THEN UPDATE SET v = s.v

query
EXPLAIN UPDATE b SET v = 'w' WHERE p = 'p2' AND v = 'x'

-- The source of an EXPLAIN never runs.
query
EXPLAIN MERGE INTO t USING (SELECT id, p, raise_error('it ran') v FROM s UNION ALL SELECT 1, 'p1', raise_error('it ran')) s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET *

query
SELECT count(*), count(DISTINCT _hoodie_commit_time) FROM t

-- A partition is named as its folder.
statement
CREATE TABLE n (id BIGINT, p INT, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 4

query
EXPLAIN MERGE INTO n USING s ON n.id = s.id AND n.p = 1 + 2 WHEN MATCHED THEN UPDATE SET v = s.v
