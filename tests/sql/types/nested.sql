statement
CREATE TABLE t (id INT, a ARRAY<INT>, m MAP<STRING, DECIMAL(20, 4)>, s STRUCT<x: INT, y: STRUCT<z: ARRAY<STRING>, at: TIMESTAMP>>, aa ARRAY<ARRAY<DATE>>, am ARRAY<MAP<STRING, STRUCT<n: BIGINT>>>, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, array(1, NULL, 3), map('k', 1.5, 'l', NULL), named_struct('x', NULL, 'y', named_struct('z', array('a', NULL), 'at', TIMESTAMP'2024-01-02 03:04:05.678901')), array(array(DATE'2024-01-01', NULL), NULL, array()), array(map('q', named_struct('n', 9L), 'r', NULL), NULL))

statement
INSERT INTO t VALUES (2, NULL, NULL, NULL, NULL, NULL), (3, array(), map(), named_struct('x', 1, 'y', NULL), array(), array(map())), (4, NULL, NULL, named_struct('x', 1, 'y', named_struct('z', NULL, 'at', NULL)), NULL, NULL)

query
SELECT * FROM t

query
SELECT id, s.y.z[0], m['k'], am[0]['q'].n FROM t

query
MERGE INTO t USING (SELECT 2 id, array(7) a) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET a = s.a

query
SELECT * FROM t

query
DESCRIBE t
