-- What is null in a row stays null when another column of it is updated, beside nested columns and gone rows.
statement
CREATE TABLE t (id INT, n INT, d DECIMAL(20, 2), v STRING, a ARRAY<INT>, s STRUCT<x: INT, y: STRING>, PRIMARY KEY (id))
USING hudilite WITH BUCKETS 1

statement
INSERT INTO t VALUES
  (1, NULL, NULL, NULL, NULL, NULL), (2, 2, 2.5, 'b', array(2), named_struct('x', 2, 'y', 'b')),
  (3, NULL, 3.5, NULL, array(CAST(NULL AS INT)), named_struct('x', CAST(NULL AS INT), 'y', 'c')), (4, 4, NULL, 'd', NULL, NULL)

query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'one'), (2, 'two'), (3, 'three') AS s(id, v)) s ON t.id = s.id
WHEN MATCHED AND s.id = 2 THEN DELETE
WHEN MATCHED THEN UPDATE SET v = s.v

query
SELECT * FROM t ORDER BY id

query
UPDATE t SET a = array(7) WHERE id = 1

query
UPDATE t SET n = 9 WHERE id = 4

query
SELECT * FROM t ORDER BY id
