-- Hand: Delta plans and its history differ
-- WITH SCHEMA EVOLUTION: the source's new columns come with its rows, in one commit.
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')

statement
CREATE TEMPORARY VIEW s AS SELECT 1 AS id, 'A' AS v, CAST(10 AS BIGINT) AS n, STRUCT(1 AS x, ARRAY(1) AS y) AS st UNION ALL SELECT 4, 'D', CAST(40 AS BIGINT), NULL

statement
EXPLAIN MERGE WITH SCHEMA EVOLUTION INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
DESCRIBE t

query
MERGE WITH SCHEMA EVOLUTION INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

query
DESCRIBE t

query
SELECT count(*) AS commits FROM t.history

-- Columns that the source has not stay as they are, and are null in new rows.
query
MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 1 id, true AS flag UNION ALL SELECT 5, false) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

-- A column that a clause assigns by its name comes too, others do not.
query
MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 2 id, 'B' v, 2.5D AS w, 'no' AS other) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v, w = s.w WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)

query
SELECT * FROM t

statement expect_error(UNRESOLVED_COLUMN.WITH_SUGGESTION)
MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 2 id, 'B' v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET z = s.v

-- Nothing new: an ordinary MERGE. A NOT MATCHED BY SOURCE clause has no part in it.
query
MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 2 AS ID, 'b' AS V) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED BY SOURCE AND t.id = 5 THEN DELETE

query
SELECT * FROM t

-- Columns come also where no row does.
query
MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 99 id, 'x' late) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *

query
DESCRIBE t

-- A source that reads the table, an alias, and an ON that does not pin the key.
statement
CREATE TEMPORARY VIEW more AS SELECT id, v, id * 2 AS twice FROM t

query
MERGE WITH SCHEMA EVOLUTION INTO t AS target USING more ON target.v = more.v WHEN MATCHED THEN UPDATE SET twice = more.twice

query
SELECT id, v, twice FROM t

statement expect_error(HUDILITE_INVALID_NAME)
MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 1 id, 1 AS `odd name`) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *

statement expect_error(HUDILITE_UNSUPPORTED_TYPE)
MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 1 id, INTERVAL '1' DAY AS span) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *

statement expect_error(TABLE_OR_VIEW_NOT_FOUND)
MERGE WITH SCHEMA EVOLUTION INTO nowhere USING s ON nowhere.id = s.id WHEN MATCHED THEN UPDATE SET *

-- Below WITH.
query
WITH q AS (SELECT 3 AS id, 'q' AS from_query) MERGE WITH SCHEMA EVOLUTION INTO t USING q ON t.id = q.id WHEN MATCHED AND q.id IN (SELECT id FROM q) THEN UPDATE SET *

query
SELECT id, from_query FROM t WHERE from_query IS NOT NULL
