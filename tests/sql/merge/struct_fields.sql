-- Structs of the source with the fields of the table's in another order, or without some of them.
statement
CREATE TABLE t (id INT, s STRUCT<x: INT, z: INT>, l ARRAY<STRUCT<x: INT, z: STRING>>, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO t VALUES (1, STRUCT(1, 10), ARRAY(STRUCT(1, 'one'))), (2, STRUCT(2, 20), NULL), (3, STRUCT(3, 30), NULL)

-- By name in every clause.
query
MERGE INTO t USING (SELECT 1 AS id, named_struct('z', 110, 'x', 11) AS s, array(named_struct('z', 'eleven', 'x', 11)) AS l UNION ALL SELECT 4, named_struct('z', 40, 'x', 4), NULL) q ON t.id = q.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
MERGE INTO t USING (SELECT 2 AS id, named_struct('z', 220, 'x', 22) AS s) q ON t.id = q.id WHEN MATCHED THEN UPDATE SET s = q.s WHEN NOT MATCHED BY SOURCE AND t.id = 3 THEN UPDATE SET s = named_struct('z', 330, 'x', 33)

query
MERGE INTO t USING (SELECT 5 AS id, named_struct('z', 50, 'x', 5) AS s) q ON t.id = q.id WHEN NOT MATCHED THEN INSERT (id, s) VALUES (q.id, q.s)

query
SELECT * FROM t ORDER BY id

-- Types by which a cast by position fails.
statement
CREATE TABLE u (id INT, s STRUCT<n: ARRAY<INT>, d: DATE>, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO u VALUES (1, NULL)

query
MERGE INTO u USING (SELECT 1 AS id, named_struct('d', DATE '2026-01-01', 'n', array(1)) AS s UNION ALL SELECT 2, NULL) q ON u.id = q.id WHEN MATCHED THEN UPDATE SET s = q.s WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM u ORDER BY id

-- Texts with a length in structs.
statement
CREATE TABLE v (id INT, s STRUCT<x: VARCHAR(5), z: STRING>, l ARRAY<STRUCT<x: CHAR(2), z: STRING>>, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO v VALUES (1, NULL, NULL)

query
MERGE INTO v USING (SELECT 1 AS id, named_struct('z', 'zz', 'x', 'xx') AS s, array(named_struct('z', 'zz', 'x', 'xx')) AS l UNION ALL SELECT 2, named_struct('z', 'z', 'x', 'x'), NULL) q ON v.id = q.id WHEN MATCHED THEN UPDATE SET s = q.s, l = q.l WHEN NOT MATCHED THEN INSERT *

query
MERGE WITH SCHEMA EVOLUTION INTO v USING (SELECT 3 AS id, named_struct('z', 'only') AS s) q ON v.id = q.id WHEN NOT MATCHED THEN INSERT (id, s) VALUES (q.id, q.s)

query
UPDATE v SET s = named_struct('z', 'set', 'x', 'by') WHERE id = 2

statement expect_error(EXCEED_LIMIT_LENGTH)
MERGE INTO v USING (SELECT 1 AS id, named_struct('z', 'z', 'x', 'longer than five') AS s) q ON v.id = q.id WHEN MATCHED THEN UPDATE SET s = q.s

query
SELECT * FROM v ORDER BY id

-- A field that is lacking is an error without the clause.
statement expect_error(INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_FIND_DATA)
MERGE INTO t USING (SELECT 1 AS id, named_struct('x', 0) AS s, array(named_struct('x', 0, 'z', 'a')) AS l) q ON t.id = q.id WHEN MATCHED THEN UPDATE SET *

statement expect_error(INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_FIND_DATA)
MERGE INTO t USING (SELECT 6 AS id, named_struct('z', 0) AS s) q ON t.id = q.id WHEN NOT MATCHED THEN INSERT (id, s) VALUES (q.id, q.s)

-- With it, the field is NULL in new rows and in columns that a clause assigns.
query
MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 2 AS id, named_struct('z', 2) AS s, array(named_struct('z', 'two')) AS l UNION ALL SELECT 7, named_struct('z', 7), array(named_struct('z', 'seven'), NULL)) q ON t.id = q.id WHEN MATCHED THEN UPDATE SET s = q.s, l = q.l WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t ORDER BY id

-- UPDATE SET * leaves the field as it is, but in an element of an array it is NULL.
query
MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 1 AS id, named_struct('x', 111) AS s, array(named_struct('x', 111)) AS l UNION ALL SELECT 9, named_struct('x', 9), NULL) q ON t.id = q.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t WHERE id IN (1, 9) ORDER BY id

-- A struct that is NULL.
query
MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 2 AS id, CAST(NULL AS STRUCT<z: INT>) AS s) q ON t.id = q.id WHEN MATCHED THEN UPDATE SET *

query
MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 1 AS id, CAST(NULL AS STRUCT<z: INT>) AS s UNION ALL SELECT 8, NULL) q ON t.id = q.id WHEN MATCHED THEN UPDATE SET s = q.s WHEN NOT MATCHED THEN INSERT *

query
SELECT id, s FROM t WHERE id IN (1, 2, 8) ORDER BY id
