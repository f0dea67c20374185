-- Hand: plans
-- Config: spark.sql.adaptive.enabled=false
-- Forty files in twenty partitions; v grows with the partition, and w does not.
statement
CREATE TABLE t (id INT, p INT, v INT, w INT, PRIMARY KEY (id, p)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 ON (id)

statement
INSERT INTO t SELECT id, id div 20, id * 3, id % 20 FROM range(400)

query
EXPLAIN SELECT id FROM t WHERE v = 600

query
SELECT id FROM t WHERE v = 600

-- Beside a condition on a partition.
query
EXPLAIN SELECT id FROM t WHERE v < 100 AND p < 18

-- No row at all.
query
EXPLAIN SELECT id FROM t WHERE v = 5000

query
SELECT id FROM t WHERE v = 5000

-- Each file has a row, or may have one.
query
EXPLAIN SELECT id FROM t WHERE w > 0

query
EXPLAIN SELECT id FROM t WHERE w + v = 3

-- Few files are all read.
query
EXPLAIN SELECT id FROM t WHERE v = 600 AND p IN (3, 10)

-- With Spark's setting off, filters are not compared with statistics.
statement
SET spark.sql.parquet.filterPushdown = false

query
EXPLAIN SELECT id FROM t WHERE v = 600

statement
RESET spark.sql.parquet.filterPushdown
