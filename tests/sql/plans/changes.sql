-- Hand: plans
-- Config: spark.sql.shuffle.partitions=4
-- Config: spark.sql.adaptive.enabled=false
-- A single scan reads the rows of all commits, those of log files among them, and no exchange follows.
statement
CREATE TABLE t (id BIGINT, v STRING, w STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4 TBLPROPERTIES (type = 'mor')

statement
INSERT INTO t SELECT id, 'a', 'w' FROM range(40)

statement
UPDATE t SET v = 'b' WHERE id % 2 = 0

query
EXPLAIN SELECT id, _change_type FROM hudilite_changes('t', '{instant 1 of t}')

query
SELECT v, _change_type, count(*) FROM hudilite_changes('t', '{instant 1 of t}') GROUP BY ALL ORDER BY 1

statement
UPDATE t SET v = 'c' WHERE id % 2 = 1

statement
DELETE FROM t WHERE id < 10

query
EXPLAIN SELECT id, _change_type FROM hudilite_changes('t', 'earliest')

query
SELECT _commit_instant, v, _change_type, count(*) FROM hudilite_changes('t', 'earliest') GROUP BY ALL ORDER BY 1, 2, 3

-- With the setting off, Spark shuffles the rows, and they are the same.
statement
SET spark.sql.sources.v2.bucketing.enabled = false

query
SELECT _commit_instant, v, _change_type, count(*) FROM hudilite_changes('t', 'earliest') GROUP BY ALL ORDER BY 1, 2, 3

statement
RESET spark.sql.sources.v2.bucketing.enabled
