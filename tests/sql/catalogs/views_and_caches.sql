-- Faults: F28
-- A view and a cached table show what the same session has written since.
-- Config: spark.sql.codegen.wholeStage=true
-- Config: spark.sql.codegen.factoryMode=CODEGEN_ONLY
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a'), (2, 'b')

statement
CREATE TEMPORARY VIEW seen AS SELECT id, upper(v) AS v FROM t

statement
CACHE TABLE t

statement
CACHE TABLE few AS SELECT * FROM t WHERE id < 3

query
SELECT * FROM t

statement
INSERT INTO t VALUES (0, 'z')

query
SELECT * FROM t

query
SELECT * FROM seen

query
SELECT * FROM few

statement
MERGE INTO t USING (SELECT 1 AS id, 'a1' AS v UNION ALL SELECT 2, NULL UNION ALL SELECT 9, 'n') s ON t.id = s.id
WHEN MATCHED AND s.v IS NULL THEN DELETE
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

query
SELECT * FROM seen

query
SELECT * FROM few

-- A cached table stays cached: Spark reads it from memory.
query
EXPLAIN SELECT id FROM t

statement
UNCACHE TABLE t

query
SELECT * FROM t

-- The cache of a table that is gone is gone.
statement
CACHE TABLE t

statement
DROP TABLE t

statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

query
SELECT * FROM t
