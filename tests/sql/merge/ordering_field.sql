-- Hand: Delta has no ordering field
-- An ordering field: the greatest of several source rows counts, and an older one changes nothing.
statement
CREATE TABLE t (id INT, v STRING, ts INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'ts')

statement
INSERT INTO t VALUES (1, 'a', 5), (2, 'b', 5), (3, 'c', NULL), (4, 'd', 5)

query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'older', 4), (1, 'old', 1), (2, 'equal', 5), (3, 'after null', 0), (4, 'first', 6), (4, 'last', 8), (4, 'null', NULL), (9, 'low', 1), (9, 'high', 2) AS q(id, v, ts)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

-- A null is the smallest value; a matched row that is skipped is matched.
query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'null', int(NULL)), (2, 'older', 1) AS q(id, v, ts)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *
WHEN NOT MATCHED BY SOURCE AND t.id < 4 THEN UPDATE SET v = 'by nobody', ts = 0

query
SELECT * FROM t

-- Two rows that stand equally high: none counts more.
statement expect_error(HUDILITE_MERGE_CARDINALITY)
MERGE INTO t USING (SELECT * FROM VALUES (1, 'x', 9), (1, 'y', 9) AS q(id, v, ts)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *

query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'x', 9), (1, 'x', 9) AS q(id, v, ts)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *

-- A joined source, and one of another type.
query
MERGE INTO t USING (SELECT * FROM VALUES ('x', 'older', 1L), ('b', 'newer', 7L), ('b', 'newest', 8L), ('x', 'n', NULL) AS q(w, v, ts)) s ON t.v = s.w OR s.w = 'b' AND t.id = 2
WHEN MATCHED THEN UPDATE SET v = s.v, ts = s.ts

query
MERGE INTO t USING (SELECT * FROM VALUES (4, 7), (9, 2) AS q(id, ts)) s ON t.id = s.id WHEN MATCHED THEN DELETE

query
SELECT * FROM t

-- A source without the field can only delete.
statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
MERGE INTO t USING (SELECT 1 id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'unordered'

query
MERGE INTO t USING (SELECT 4 id) s ON t.id = s.id WHEN MATCHED THEN DELETE

-- INSERT is an insert.
statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (1, 'again', 100)

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (20, 'low', 1), (20, 'high', 2)

-- UPDATE and DELETE take rows as they are.
query
UPDATE t SET ts = 0, v = 'reset' WHERE id = 1

query
SELECT * FROM t

statement
SET spark.hudilite.insert.duplicates = update

statement
INSERT INTO t VALUES (1, 'upserted', 3), (1, 'lower', 2), (2, 'older', 1), (30, 'new', 1), (30, 'newer', 2)

query
SELECT * FROM t

-- The ordering field of the source has another type.
query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
MERGE INTO t USING (SELECT id, v, 'a' AS ts FROM t) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET ts = s.ts

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
MERGE INTO t USING (SELECT id, v, 'a' AS ts FROM t) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v

-- A lone unconditional DELETE: two source rows with one ordering value delete the row once.
statement
CREATE TABLE ties (id INT, v STRING, ts INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'ts')

statement
INSERT INTO ties VALUES (1, 'a', 5), (2, 'b', 5), (3, 'c', 5)

query
MERGE INTO ties t USING (SELECT * FROM VALUES (1, 'x', 9), (1, 'y', 9), (2, 'x', 4), (2, 'y', 4), (4, 'n', 1) AS q(id, v, ts)) s ON t.id = s.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM ties

query
MERGE INTO ties t USING (SELECT * FROM VALUES ('b', 9, 'x'), ('b', 9, 'y') AS q(v, ts, w)) s ON t.v = s.v WHEN MATCHED THEN DELETE

query
SELECT * FROM ties

-- ON with one of two partition columns: only source rows that look into the same partition are compared.
statement
CREATE TABLE years (id INT, y INT, m INT, v STRING, ts INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (y, m) WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'ts')

statement
INSERT INTO years VALUES (1, 2024, 1, 'a', 1), (1, 2025, 1, 'b', 1), (1, 2025, 2, 'c', 1), (2, 2024, 1, 'd', 1)

query
MERGE INTO years t USING (SELECT * FROM VALUES (1, 2024, 1, 'older year', 2), (1, 2025, 1, 'newer year', 3), (1, 2025, 1, 'late', 2), (3, 2024, 5, 'new', 1), (3, 2025, 5, 'new', 2) AS q(id, y, m, v, ts)) s ON t.id = s.id AND t.y = s.y
WHEN MATCHED THEN UPDATE SET v = s.v, ts = s.ts WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM years ORDER BY id, y, m

-- A condition of ON on the source: only the source rows for which it is true are compared.
query
MERGE INTO years t USING (SELECT * FROM VALUES (2, 2024, 1, 'counts', 2, true), (2, 2024, 1, 'does not', 3, false) AS q(id, y, m, v, ts, flag)) s ON t.id = s.id AND t.y = s.y AND t.m = s.m AND s.flag
WHEN MATCHED THEN UPDATE SET v = s.v, ts = s.ts

query
SELECT * FROM years WHERE id = 2

-- A condition of ON on the table holds for all source rows of the key, or for none.
query
MERGE INTO years t USING (SELECT * FROM VALUES (2, 2024, 1, 'first', 4), (2, 2024, 1, 'second', 5) AS q(id, y, m, v, ts)) s ON t.id = s.id AND t.y = s.y AND t.m = s.m AND t.v = 'counts'
WHEN MATCHED THEN UPDATE SET v = s.v, ts = s.ts

query
SELECT * FROM years WHERE id = 2

-- An ordering value that does not fit its column is an error with any ANSI setting, as in UPDATE.
statement
CREATE TABLE narrow (id INT, v STRING, ts INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (preCombineField = 'ts')

statement
INSERT INTO narrow VALUES (1, 'old', 10)

statement
SET spark.sql.ansi.enabled = false

statement expect_error(CAST_OVERFLOW)
MERGE INTO narrow t USING (SELECT 1 AS id, 'new' AS v, 3000000000L AS ts) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *

query
SELECT * FROM narrow
