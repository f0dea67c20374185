-- A persistent view (Spark keeps them in the session catalog alone) shows what is written later.
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
CREATE VIEW kept AS SELECT count(*) AS n, max(v) AS v FROM t

query
SELECT * FROM kept

statement
INSERT INTO t VALUES (1, 'a'), (2, 'b')

query
SELECT * FROM kept

statement
CACHE TABLE kept

statement
MERGE INTO t USING (SELECT 3 AS id, 'c' AS v) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM kept
