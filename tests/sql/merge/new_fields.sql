-- Hand: Delta plans and its history differ
-- MERGE WITH SCHEMA EVOLUTION: fields of structs that only the source has come with its rows.
statement
CREATE TABLE t (id INT, s STRUCT<x: INT, z: INT>, l ARRAY<STRUCT<x: INT>>, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, STRUCT(1, 10), ARRAY(STRUCT(1))), (2, STRUCT(2, 20), NULL), (3, NULL, NULL)

-- By star, with fields in another order.
query
MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 1 AS id, STRUCT('new' AS y, 110 AS z, 11 AS x) AS s UNION ALL SELECT 4, STRUCT('four', 40, 4)) q ON t.id = q.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

query
DESCRIBE t

-- A source that lacks some fields: UPDATE SET * leaves these as they are.
query
MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 1 AS id, STRUCT(12 AS x, 1 AS fourth) AS s) q ON t.id = q.id WHEN MATCHED THEN UPDATE SET *

query
SELECT id, s FROM t WHERE id = 1

-- By a clause that assigns the column of this name.
query
MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 2 AS id, STRUCT(22 AS x, 220 AS z, 'b' AS y, true AS flag) AS s, ARRAY(STRUCT(2.5D AS w, 2 AS x)) AS l, 'no' AS other UNION ALL SELECT 5, NULL, NULL, 'no') q ON t.id = q.id WHEN MATCHED THEN UPDATE SET s = q.s, t.l = q.l WHEN NOT MATCHED THEN INSERT (id, s) VALUES (q.id, q.s)

query
SELECT * FROM t

query
DESCRIBE t

-- Without the clause fields stay, and so they do where no clause assigns the column.
query
MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 3 AS id, STRUCT(3 AS x, 3 AS never) AS s) q ON t.id = q.id WHEN MATCHED THEN UPDATE SET s.x = q.s.x

query
SELECT id, s.x FROM t

query
DESCRIBE t
