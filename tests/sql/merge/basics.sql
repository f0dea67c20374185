statement
CREATE TABLE t (id INT, v STRING, n BIGINT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 3

statement
INSERT INTO t VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 30), (4, NULL, NULL)

-- The upsert: one row of counts comes back.
query
MERGE INTO t USING (SELECT * FROM VALUES (2, 'B', 21L), (5, 'e', 50L) AS q(id, v, n)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

-- Carried rows keep the instant that wrote them; changed rows have the new one.
query
SELECT id, _hoodie_commit_time FROM t ORDER BY id

query
SELECT count(*) FROM t WHERE _hoodie_file_name NOT LIKE concat('%', substring(_hoodie_file_name, 1, 8), '%')

-- Some columns only, from both sides.
query
MERGE INTO t USING (SELECT * FROM VALUES (1, 5L), (3, NULL) AS q(id, n)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET n = t.n + s.n

query
SELECT * FROM t

-- Delete only.
query
MERGE INTO t USING (SELECT * FROM VALUES (1), (9) AS q(id)) s ON t.id = s.id WHEN MATCHED THEN DELETE

query
SELECT * FROM t

-- Insert only: what matches stays.
query
MERGE INTO t USING (SELECT * FROM VALUES (2, 'ignored', 0L), (6, 'f', 60L) AS q(id, v, n)) s ON s.id = t.id
WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, upper(s.v))

query
SELECT * FROM t

-- A source column of another integer type, and the ON clause turned round.
query
MERGE INTO t AS target USING (SELECT CAST(2 AS BIGINT) AS key) AS s ON s.key = target.id
WHEN MATCHED THEN UPDATE SET target.v = 'by bigint'

query
SELECT * FROM t

-- An empty source.
query
MERGE INTO t USING (SELECT * FROM t WHERE false) s ON t.id = s.id
WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *

-- Every row matched.
query
MERGE INTO t USING (SELECT id, 'all' v, n FROM t) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

-- No row matched.
query
MERGE INTO t USING (SELECT id + 100 id, 'none' v, 1L n FROM t) s ON t.id = s.id
WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

-- Everything goes, and comes back.
query
MERGE INTO t USING (SELECT id FROM t) s ON t.id = s.id WHEN MATCHED THEN DELETE

query
SELECT count(*) FROM t

query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'again', 1L) AS q(id, v, n)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t
