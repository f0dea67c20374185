-- Faults: F76, F77
-- ON that does not pin the key: the source is joined with the table first.
statement
CREATE TABLE t (id INT, p STRING, v STRING, n INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO t SELECT id, CASE WHEN id % 2 = 0 THEN 'even' ELSE 'odd' END, concat('v', id), id * 10 FROM range(1, 9)

-- By another column: one source row may match several rows.
query
MERGE INTO t USING (SELECT * FROM VALUES ('v1', 100), ('v2', 200), ('none', 0) AS q(v, n)) s ON t.v = s.v
WHEN MATCHED THEN UPDATE SET n = s.n

query
MERGE INTO t USING (SELECT 'odd' p) s ON t.p = s.p WHEN MATCHED AND t.id > 3 THEN UPDATE SET v = concat(t.v, ' odd')

query
SELECT * FROM t ORDER BY id

-- Unmatched source rows are inserted under their own keys.
query
MERGE INTO t USING (SELECT * FROM VALUES (20, 'v2', 1), (21, 'new', 2) AS q(id, v, n)) s ON t.v = s.v
WHEN MATCHED THEN UPDATE SET n = t.n + s.n
WHEN NOT MATCHED AND s.n > 100 THEN INSERT (id, p, v) VALUES (s.id + 100, 'never', s.v)
WHEN NOT MATCHED THEN INSERT (id, p, v, n) VALUES (s.id, 'even', s.v, s.n)

query
SELECT * FROM t WHERE id = 2 OR id > 8 ORDER BY id

-- Under a key that is there.
statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO t USING (SELECT 21 id, 'absent' v) s ON t.v = s.v
WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (s.id, 'even', s.v)

-- Under the same key in another partition it is another row.
query
MERGE INTO t USING (SELECT 21 id, 'absent' v) s ON t.v = s.v
WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (s.id, 'odd', s.v)

-- Twice under one key.
statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO t USING (SELECT * FROM VALUES ('a'), ('b') AS q(v)) s ON t.v = s.v
WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (30, 'odd', s.v)

-- Under no key.
statement expect_error(HUDILITE_NULL_KEY)
MERGE INTO t USING (SELECT 'a' v) s ON t.v = s.v
WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (int(NULL), 'odd', s.v)

-- Two source rows for one row.
statement expect_error(HUDILITE_MERGE_CARDINALITY)
MERGE INTO t USING (SELECT * FROM VALUES ('v3', 1), ('v3', 2) AS q(v, n)) s ON startswith(t.v, s.v)
WHEN MATCHED THEN UPDATE SET n = s.n

query
MERGE INTO t USING (SELECT * FROM VALUES ('v3', 1), ('v3', 2) AS q(v, n)) s ON startswith(t.v, s.v) WHEN MATCHED THEN DELETE

-- OR, inequality, and no condition at all.
query
MERGE INTO t USING (SELECT 1 id, 'v4' v) s ON t.id = s.id OR t.v = s.v WHEN MATCHED THEN UPDATE SET n = -1

query
MERGE INTO t USING (SELECT 6 low, 8 high) s ON t.id >= s.low AND t.id < s.high WHEN MATCHED THEN UPDATE SET n = -2

query
MERGE INTO t USING (SELECT 1 one) s ON t.id > 20 WHEN MATCHED THEN DELETE

query
MERGE INTO t USING (SELECT 'of all' v) s ON true WHEN MATCHED AND t.id = 1 THEN UPDATE SET v = s.v

query
SELECT * FROM t ORDER BY id

-- What no source row matches.
query
MERGE INTO t USING (SELECT -1 n) s ON t.n = s.n
WHEN MATCHED THEN UPDATE SET n = 0
WHEN NOT MATCHED BY SOURCE AND t.n > 50 THEN DELETE
WHEN NOT MATCHED BY SOURCE AND t.id = 6 THEN UPDATE SET v = 'by nobody'

query
SELECT * FROM t ORDER BY id

-- A match may move its row, and a row may take the place of one that goes.
query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'x'), (6, 'y') AS q(at, p)) s ON t.id + 0 = s.at WHEN MATCHED THEN UPDATE SET p = s.p

query
MERGE INTO t USING (SELECT 1 id, 'instead' v) s ON t.v = s.v
WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (s.id, 'x', s.v)
WHEN NOT MATCHED BY SOURCE AND t.p = 'x' THEN DELETE

query
SELECT *, _hoodie_partition_path FROM t ORDER BY id

-- The table with itself.
query
MERGE INTO t USING t AS s ON t.n = s.n AND t.id <> s.id WHEN MATCHED THEN UPDATE SET v = concat('as ', s.id)

query
MERGE INTO t USING (SELECT max(id) + 1 id, 'next' v FROM t) s ON t.v = s.v
WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (s.id, 'x', s.v)

query
SELECT * FROM t ORDER BY id

-- One key for many rows.
query expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO t USING (SELECT 9 id, 'x' p) s ON t.p = s.p WHEN MATCHED THEN UPDATE SET id = s.id

-- A part of a key of two columns.
statement
CREATE TABLE two (a STRING, b INT, v STRING, PRIMARY KEY (a, b)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO two VALUES ('x', 1, 'o'), ('x', 2, 'o'), ('y', 1, 'o')

query
MERGE INTO two t USING (SELECT * FROM VALUES ('x', 9, 'n'), ('z', 9, 'n') AS q(a, b, v)) s ON t.a = s.a
WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM two ORDER BY a, b
