-- Hand: plans
statement
CREATE TABLE t (id INT, p STRING, n INT, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO t SELECT id, if(id < 6, 'x', 'y'), id * 10, 'old' FROM range(1, 11)

-- EXPLAIN alone runs nothing.
query
EXPLAIN UPDATE t SET v = 'new' WHERE n > 50

statement
SET spark.hudilite.explain.preview = true

query
EXPLAIN UPDATE t SET v = 'new' WHERE n > 50

query
EXPLAIN MERGE INTO t USING (VALUES (1, 'x', -1, 'a'), (2, 'x', 0, 'b'), (7, 'y', 0, 'c'), (20, 'z', 0, 'd'), (21, 'x', 0, 'e') AS s (id, p, n, v)) s ON t.id = s.id AND t.p = s.p WHEN MATCHED AND s.n < 0 THEN DELETE WHEN MATCHED THEN UPDATE SET n = t.n + 1, v = s.v WHEN NOT MATCHED THEN INSERT *

-- Whole partitions are hidden, with their rows.
query
EXPLAIN DELETE FROM t WHERE p = 'y'

query
EXPLAIN TRUNCATE TABLE t

query
EXPLAIN ALTER TABLE t DROP PARTITION (p = 'x')

query
EXPLAIN INSERT OVERWRITE t PARTITION (p = 'x') VALUES (4, 1, 'new'), (40, 2, 'new')

query
EXPLAIN WITH s AS (SELECT 30 AS id, 'x' AS v) INSERT INTO t SELECT id, 'y', 1, v FROM s

-- The error that the statement would end with.
query
EXPLAIN INSERT INTO t VALUES (4, 'x', 1, 'new')

query
EXPLAIN INSERT INTO t SELECT CAST(NULL AS INT), 'x', 1, 'new'

query
EXPLAIN MERGE INTO t USING (VALUES (4), (4) AS s (id)) s ON t.id = s.id AND t.p = 'x' WHEN MATCHED THEN UPDATE SET n = 0

query
EXPLAIN UPDATE t SET n = n + 2147483647

-- Other statements, and errors of the analysis, are explained as always.
query
EXPLAIN SELECT v FROM t WHERE id = 7 AND p = 'y'

query
EXPLAIN UPDATE t SET n = m + 1

query
EXPLAIN VACUUM t DRY RUN

statement
EXPLAIN CALL savepoint(table => 't')

-- Nothing has happened.
query
SELECT operation, rows_written FROM t.history

query
SELECT count(*), sum(n), count(DISTINCT v) FROM t

query
CALL show_savepoints(table => 't')

-- A blind MERGE that need not read the table is counted all the same.
statement
CREATE TABLE m (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (type = 'mor')

statement
INSERT INTO m SELECT id, 'old' FROM range(1, 11)

query
EXPLAIN MERGE INTO m USING (VALUES (1, 'a'), (2, 'b'), (30, 'c') AS s (id, v)) s ON m.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
SET spark.hudilite.explain.preview = maybe

query expect_error(HUDILITE_SETTING_INVALID)
EXPLAIN DELETE FROM t WHERE id = 1
