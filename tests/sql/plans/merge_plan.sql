-- Hand: plans
-- Config: spark.sql.shuffle.partitions=2
-- Config: spark.sql.adaptive.enabled=true
-- Config: spark.sql.maxMetadataStringLength=1000

statement
CREATE TABLE t (id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4

statement
CREATE TABLE s (id BIGINT, v STRING) USING parquet

statement
INSERT INTO t SELECT id, 'v' FROM range(40)

statement
INSERT INTO s VALUES (1, 'x')

query
EXPLAIN MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND s.v = 'x' THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

-- A source that is known to be small is not exchanged.
query
EXPLAIN MERGE INTO t USING (SELECT 1L id, 'x' v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
EXPLAIN SELECT * FROM t WHERE id = 7

query
EXPLAIN SELECT v FROM t WHERE id IN (7, 8) AND v > 'a'

query
EXPLAIN INSERT INTO t SELECT id + 100, v FROM t

-- EXPLAIN runs nothing.
query
SELECT count(*), count(DISTINCT _hoodie_commit_time) FROM t

-- ON without the key: the source is joined with the table, and the pairs are looked up by its key.
query
EXPLAIN MERGE INTO t USING s ON t.v = s.v WHEN MATCHED THEN UPDATE SET v = 'w' WHEN NOT MATCHED THEN INSERT *

query
EXPLAIN UPDATE t SET v = 'w' WHERE id = 7

query
EXPLAIN DELETE FROM t WHERE id IN (SELECT id FROM s)

-- How a table without buckets is looked into, and why so.
statement
CREATE TABLE b (id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite

query
EXPLAIN MERGE INTO b USING s ON b.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
SET hoodie.bloom.index.use.treebased.filter = false

query
EXPLAIN MERGE INTO b USING (SELECT 1L id, 'x' v) s ON b.id = s.id WHEN MATCHED THEN UPDATE SET *

-- A merge-on-read table is read if a clause needs its row.
statement
CREATE TABLE m (id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4 TBLPROPERTIES (type = 'mor')

query
EXPLAIN MERGE INTO m USING s ON m.id = s.id WHEN MATCHED AND s.v = 'x' THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
EXPLAIN MERGE INTO m USING s ON m.id = s.id WHEN MATCHED AND m.v = 'x' THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

-- With an ordering field: only a condition that may be true for some source rows of a key is joined first.
statement
CREATE TABLE o (id BIGINT, p STRING, v STRING, ts INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 4 TBLPROPERTIES (preCombineField = 'ts')

statement
CREATE TABLE n (id BIGINT, p STRING, v STRING, ts INT) USING parquet

query
EXPLAIN MERGE INTO o USING n ON o.id = n.id AND o.p = n.p AND n.ts >= o.ts AND n.p > 'a' AND o.v = 'x' WHEN MATCHED THEN UPDATE SET *

query
EXPLAIN MERGE INTO o USING n ON o.id = n.id AND o.p = n.p AND n.v = 'x' WHEN MATCHED THEN UPDATE SET *
