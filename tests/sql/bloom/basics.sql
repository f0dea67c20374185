-- A table without WITH BUCKETS finds its rows by key ranges, bloom filters and keys.
statement
CREATE TABLE t (id INT, p STRING, v STRING, n BIGINT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)

statement
INSERT INTO t SELECT CAST(id AS INT), concat('p', id % 2), concat('v', id), id FROM range(1000)

query
SELECT count(*), sum(n) FROM t

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (7, 'p1', 'again', 0)

statement
INSERT INTO t VALUES (7, 'p0', 'another partition', 0)

query
SELECT * FROM t WHERE id = 7 ORDER BY p

query
MERGE INTO t USING (SELECT CAST(id AS INT) id, concat('p', id % 2) p, 'merged' v, 0L n FROM range(990, 1010)) s
ON t.id = s.id AND t.p = s.p
WHEN MATCHED THEN UPDATE SET v = s.v
WHEN NOT MATCHED THEN INSERT *

query
SELECT v, count(*), min(id), max(id), sum(n) FROM t WHERE id >= 980 GROUP BY v HAVING count(*) > 1 ORDER BY v

query
SELECT count(*), count(DISTINCT id, p) FROM t

query
MERGE INTO t USING (SELECT CAST(id AS INT) id FROM range(5, 9)) s ON t.id = s.id
WHEN MATCHED THEN DELETE
WHEN NOT MATCHED THEN INSERT (id, p) VALUES (s.id, 'p9')

query
SELECT count(*) FROM t WHERE id BETWEEN 5 AND 8

query
MERGE INTO t USING (SELECT * FROM VALUES (5, 'p5', 'new'), (10, 'p0', 'old') AS q(id, p, v)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET v = s.v
WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (s.id, s.p, s.v)

query
SELECT id, p, v, n FROM t WHERE id IN (5, 10) ORDER BY id

query
UPDATE t SET n = -1 WHERE id < 3

query
DELETE FROM t WHERE n BETWEEN 100 AND 899

query
DELETE FROM t WHERE id IN (SELECT id FROM t WHERE n = -1 AND id > 0)

query
SELECT count(*), sum(n), min(id) FROM t

query
MERGE INTO t USING (SELECT CAST(id AS INT) id, 'p1' p FROM range(1, 2000, 2)) s ON t.id = s.id AND t.p = s.p
WHEN MATCHED AND s.id = 11 THEN UPDATE SET v = 'matched'
WHEN NOT MATCHED BY SOURCE AND t.p = 'p1' THEN DELETE
WHEN NOT MATCHED BY SOURCE AND t.id = 0 THEN UPDATE SET v = 'not matched'

query
SELECT v, count(*) FROM t WHERE v IN ('matched', 'not matched') GROUP BY v ORDER BY v

statement
INSERT OVERWRITE t PARTITION (p = 'p1') SELECT CAST(id AS INT), 'over', id FROM range(3)

query
SELECT id, v, n FROM t WHERE p = 'p1' ORDER BY id

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (2000, 'p0', 'one', 1), (2000, 'p0', 'two', 2)

query expect_error(HUDILITE_MERGE_CARDINALITY)
MERGE INTO t USING (SELECT * FROM VALUES (0, 'p0', 'one'), (0, 'p0', 'two') AS q(id, p, v)) s ON t.id = s.id AND t.p = s.p
WHEN MATCHED THEN UPDATE SET v = s.v

statement
TRUNCATE TABLE t

query
SELECT count(*) FROM t

statement
INSERT INTO t VALUES (1, 'p1', 'after', 1)

query
SELECT * FROM t

-- A source without rows.
query
MERGE INTO t USING (SELECT * FROM t WHERE false) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *
