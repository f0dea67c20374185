statement
CREATE TABLE t (s STRING, i INT, d DATE, e DECIMAL(10,2), v STRING, PRIMARY KEY (s, i, d, e)) USING hudilite WITH BUCKETS 4

statement
INSERT INTO t VALUES ('a', 1, DATE'2024-01-01', 1.50, 'one'), ('a', 1, DATE'2024-01-01', 1.51, 'two'), ('a', -1, DATE'1500-03-01', -0.05, 'three'), ('', 0, DATE'1969-12-31', 0.00, 'four')

query
SELECT v, _hoodie_record_key, substring(_hoodie_file_name, 1, 8) bucket FROM t

-- Keys are compared as the target's types say: 1.5 is 1.50.
query
MERGE INTO t USING (SELECT 'a' s, 1L i, DATE'2024-01-01' d, 1.5 e, 'ONE' v UNION ALL SELECT 'a', -1L, DATE'1500-03-01', -0.05, 'THREE' UNION ALL SELECT 'b', 1L, DATE'2024-01-01', 1.5, 'new') q
ON t.s = q.s AND t.i = q.i AND t.d = q.d AND t.e = q.e
WHEN MATCHED THEN UPDATE SET v = q.v
WHEN NOT MATCHED THEN INSERT (s, i, d, e, v) VALUES (q.s, CAST(q.i AS INT), q.d, q.e, q.v)

query
SELECT * FROM t

-- The order of the conjuncts does not matter.
query
MERGE INTO t USING (SELECT '' s, 0 i, DATE'1969-12-31' d, 0.0 e) q
ON q.e = t.e AND t.d = q.d AND q.i = t.i AND t.s = q.s
WHEN MATCHED THEN DELETE

query
SELECT * FROM t WHERE s = 'a' AND i = 1 AND d = DATE'2024-01-01' AND e = 1.50

-- A part of the key: the table is joined.
query
MERGE INTO t USING (SELECT 'b' s) q ON t.s = q.s WHEN MATCHED THEN DELETE

query
MERGE INTO t USING (SELECT 'a' s, 1 i, DATE'2024-01-01' d, 1.5 e) q ON t.s = q.s AND t.i > q.i AND t.d = q.d AND t.e = q.e WHEN MATCHED THEN DELETE

query
SELECT count(*) FROM t

-- Bucketed by one of the key columns.
statement
CREATE TABLE one_hashed (s STRING, i BIGINT, v STRING, PRIMARY KEY (s, i)) USING hudilite WITH BUCKETS 4 ON (i)

statement
INSERT INTO one_hashed SELECT CAST(id % 3 AS STRING), id, 'old' FROM range(12)

query
MERGE INTO one_hashed t USING (SELECT CAST(id % 3 AS STRING) s, id i, 'new' v FROM range(10, 14)) q ON t.s = q.s AND t.i = q.i
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT i, v FROM one_hashed WHERE i >= 9 ORDER BY i
