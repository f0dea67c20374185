-- Hand: Delta counts the source rows that match; here, and in the standard, those that meet a clause
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t SELECT id, 'old' FROM range(6)

statement
CREATE TABLE staged (id INT, v STRING, at INT) USING parquet

statement
INSERT INTO staged VALUES (1, 'first', 1), (1, 'last', 2), (3, 'three', 1), (7, 'seven', 1)

-- A table.
query
MERGE INTO t USING staged s ON t.id = s.id WHEN MATCHED AND s.at = 9 THEN DELETE WHEN NOT MATCHED AND s.id = 0 THEN INSERT (id) VALUES (s.id)

-- A sub-query with a window.
query
MERGE INTO t USING (
  SELECT id, v FROM (SELECT *, row_number() OVER (PARTITION BY id ORDER BY at DESC) rn FROM staged) WHERE rn = 1
) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

-- An aggregate, a join and a union.
query
MERGE INTO t USING (SELECT id, concat('max ', max(at)) v FROM staged GROUP BY id) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET *

query
MERGE INTO t USING (
  SELECT a.id, concat(a.v, '+', b.v) v FROM staged a JOIN staged b ON a.id = b.id AND a.at = 1 AND b.at = 1 WHERE a.id = 3
  UNION ALL SELECT 8, 'union'
) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

-- The table itself as the source, read as it was before.
query
MERGE INTO t USING (SELECT id + 1 id, v FROM t) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

-- A common table expression, and a temporary view.
statement
CREATE TEMPORARY VIEW chosen AS SELECT 0 id, 'viewed' v

query
WITH picked AS (SELECT * FROM chosen) MERGE INTO t USING picked s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *

query
SELECT * FROM t WHERE id = 0

-- Another hudilite table.
statement
CREATE TABLE u (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 5

query
MERGE INTO u USING t ON u.id = t.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT count(*), min(id), max(id) FROM u
