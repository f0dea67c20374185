-- Hand: Delta has no SET column = DEFAULT in MERGE
-- UPDATE SET * and INSERT * go by name, whatever the order and the case of the source's columns.
statement
CREATE TABLE t (id INT, Name STRING, n INT DEFAULT 5, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a', 1)

query
MERGE INTO t USING (SELECT 11 AS N, 'A' AS NAME, 1 AS Id UNION ALL SELECT 22, 'B', 2) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

-- A source with more columns than the target: the surplus is not used.
query
MERGE INTO t USING (SELECT 1 id, 'with more' name, 3 n, true extra) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *

-- Columns left out of INSERT take their default; DEFAULT may be said.
query
MERGE INTO t USING (SELECT * FROM VALUES (3), (1) AS q(id)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET n = DEFAULT
WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)

query
SELECT * FROM t

-- A source that lacks a column cannot give a star.
statement expect_error(UNRESOLVED_COLUMN.WITH_SUGGESTION)
MERGE INTO t USING (SELECT 1 id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *

statement
CREATE TABLE nested (id INT, s STRUCT<a: INT, b: STRING>, l ARRAY<INT>, m MAP<STRING, INT>, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO nested VALUES (1, named_struct('a', 1, 'b', 'x'), array(1, 2), map('k', 1)), (2, NULL, NULL, NULL)

query
MERGE INTO nested t USING (SELECT 1 id, 9 a) q ON t.id = q.id WHEN MATCHED THEN UPDATE SET s.a = q.a, l = array(q.a, NULL)

query
SELECT * FROM nested
