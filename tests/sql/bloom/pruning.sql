-- The switches of the look-up change no row.
-- Config: hoodie.parquet.max.file.size = 8k
statement
CREATE TABLE t (id STRING, n INT, PRIMARY KEY (id)) USING hudilite

statement
INSERT INTO t SELECT CAST(id AS STRING), 0 FROM range(5000)

statement
SET hoodie.bloom.index.prune.by.ranges = true

query
MERGE INTO t USING (SELECT CAST(id * 7 AS STRING) id FROM range(1000)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET n = n + 1 WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, 100)

statement
SET hoodie.bloom.index.use.treebased.filter = false

query
MERGE INTO t USING (SELECT CAST(id * 7 AS STRING) id FROM range(1000)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET n = n + 1 WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, 100)

statement
SET hoodie.bloom.index.prune.by.ranges = false

query
MERGE INTO t USING (SELECT CAST(id * 7 AS STRING) id FROM range(1000)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET n = n + 1 WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, 100)

query
SELECT n, count(*) FROM t GROUP BY n ORDER BY n

query
MERGE INTO t USING (SELECT CAST(id AS STRING) id FROM range(20000)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET n = n + 1 WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, 100)

query
SELECT n, count(*), count(DISTINCT id) FROM t GROUP BY n ORDER BY n
