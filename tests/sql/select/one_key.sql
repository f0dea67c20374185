-- Hand: EXPLAIN
-- A query of one record key: the readers choose the row, and Spark has no filter on the key.
statement
CREATE TABLE t (id BIGINT, v STRING, n INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4

statement
INSERT INTO t SELECT id, concat('v', id), id % 3 FROM range(1000)

query
SELECT * FROM t WHERE id = 7

query
SELECT v FROM t WHERE 7 = id AND n > 0

query
SELECT v FROM t WHERE id = 7 AND n > 1

query
SELECT n, v, _hoodie_record_key FROM t WHERE ID = 998L

query
SELECT * FROM t WHERE id = 7 AND id = 8

query
SELECT * FROM t WHERE id = 1000

query
SELECT * FROM t WHERE id = CAST(NULL AS BIGINT)

query
SELECT count(*) FROM t WHERE id = 7

query
SELECT count(*), count(v), max(id), min(n) FROM t WHERE id = 7 AND id IS NOT NULL

query
SELECT n, count(*) FROM t WHERE id = 7 GROUP BY n

query
SELECT 1 AS one FROM t WHERE id = 7

query
SELECT v, _metadata.file_name = _hoodie_file_name, n FROM t WHERE id = 7

query
SELECT id FROM t WHERE id = 7 OR id = 9 ORDER BY id

query
SELECT a.id, b.id FROM t a JOIN t b ON a.n = b.n WHERE a.id = 7 AND b.id = 10

query
SELECT a.id, b.v FROM t a JOIN t b ON a.id = b.id WHERE a.id = 7

query
SELECT (SELECT v FROM t WHERE id = 7) a, (SELECT v FROM t WHERE id = 8) b

query
UPDATE t SET v = 'w' WHERE id = 7

query
DELETE FROM t WHERE id = 8

query
SELECT id, v FROM t WHERE id = 7 UNION ALL SELECT id, v FROM t WHERE id = 8

query
SELECT count(*), sum(id) FROM t

-- A key of several columns, a partition column among them.
statement
CREATE TABLE c (p STRING, k STRING, d DATE, v INT, PRIMARY KEY (p, k, d)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO c SELECT concat('p', id % 3), concat('k', id % 7), date_add(DATE '2026-01-01', CAST(id % 5 AS INT)), id FROM range(105)

query
SELECT v FROM c WHERE p = 'p1' AND k = 'k3' AND d = DATE '2026-01-03'

query
SELECT * FROM c WHERE p = 'p1' AND k = 'k3' AND d = DATE '2026-01-03' AND v > 100

query
SELECT count(*) FROM c WHERE p = 'p1' AND k = 'k3'

query
SELECT count(*) FROM c WHERE p = 'p9' AND k = 'k3' AND d = DATE '2026-01-03'

-- Keys that are no whole numbers, dates, times or texts stay with Spark.
statement
CREATE TABLE d (k DECIMAL(10, 2), v INT, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO d SELECT id / 4, id FROM range(100)

query
SELECT * FROM d WHERE k = 2.25

-- Merge-on-read: a row of a log file, a deleted one, and one of the base.
statement
CREATE TABLE m (id INT, ts INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (type = 'mor', preCombineField = 'ts')

statement
INSERT INTO m SELECT id, 5, concat('v', id) FROM range(1000)

statement
MERGE INTO m USING (SELECT CAST(id AS INT) id, 4 + CAST(id % 3 AS INT) ts, concat('w', id) v FROM range(100)) s ON m.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
DELETE FROM m WHERE id = 50

query
SELECT * FROM m WHERE id = 30

query
SELECT * FROM m WHERE id = 31

query
SELECT * FROM m WHERE id = 32

query
SELECT v FROM m WHERE id = 500

query
SELECT count(*) FROM m WHERE id = 50

query
SELECT count(*) FROM m WHERE id = 31

-- Without buckets.
statement
CREATE TABLE b (id STRING, v INT, PRIMARY KEY (id)) USING hudilite

statement
INSERT INTO b SELECT concat('k', id), id FROM range(1000)

query
SELECT v FROM b WHERE id = 'k77'

query
EXPLAIN SELECT v FROM b WHERE id = 'k77' AND v > 3
