statement
CREATE TABLE t (id INT, a ARRAY<STRING>, m MAP<STRING, DECIMAL(10,2)>, s STRUCT<x: INT, y: STRUCT<z: DATE, w: ARRAY<DOUBLE>>>, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, array('a', NULL, ''), map('k', 1.50, 'n', NULL), named_struct('x', 1, 'y', named_struct('z', DATE'1500-01-01', 'w', array(-0.0D, NULL))))

statement
INSERT INTO t VALUES (2, array(), map(), named_struct('x', NULL, 'y', NULL)), (3, NULL, NULL, NULL)

query
SELECT * FROM t

query
SELECT id, s.y.z, get(a, 0), try_element_at(m, 'k') FROM t

query
MERGE INTO t USING (SELECT 9 id) q ON t.id = q.id WHEN NOT MATCHED THEN INSERT (id) VALUES (q.id)

query
SELECT * FROM t
