-- Config: spark.sql.cbo.enabled=true
-- Hand: statistics of ANALYZE TABLE, and what they are after more commits
statement
CREATE TABLE t (id INT, v STRING, n DECIMAL(10, 2), d DATE, ts TIMESTAMP, tn TIMESTAMP_NTZ, b BOOLEAN, f DOUBLE, c CHAR(3), bi BINARY, a ARRAY<INT>, p STRING, PRIMARY KEY (id, p)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1

query
ANALYZE TABLE t COMPUTE STATISTICS

statement
INSERT INTO t SELECT id, if(id % 4 = 0, NULL, concat('v', id % 3)), id / 4, date_from_unix_date(CAST(id AS INT)), timestamp_seconds(id), timestamp_ntz '2026-01-01 00:00:00', id % 2 = 0, id / 2, 'ab', X'01', array(1), if(id < 6, 'x', 'y') FROM range(8)

-- Without column statistics.
query
ANALYZE TABLE t COMPUTE STATISTICS

query
DESCRIBE EXTENDED t v

query
ANALYZE TABLE t COMPUTE STATISTICS NOSCAN

query
ANALYZE TABLE t COMPUTE STATISTICS FOR COLUMNS v, N

query
DESCRIBE EXTENDED t v

query
DESCRIBE EXTENDED t n

query
DESCRIBE EXTENDED t f

-- The columns that were analyzed before keep their statistics.
query
ANALYZE TABLE t COMPUTE STATISTICS

query
DESCRIBE EXTENDED t v

query
ANALYZE TABLE t COMPUTE STATISTICS FOR ALL COLUMNS

query
DESCRIBE EXTENDED t d

query
DESCRIBE EXTENDED t ts

query
DESCRIBE EXTENDED t tn

query
DESCRIBE EXTENDED t c

query
DESCRIBE EXTENDED t bi

query
DESCRIBE EXTENDED t a

-- Minima and maxima of statistics answer no query: rows that came later count.
statement
INSERT INTO t SELECT 100, 'zz', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'x'

query
SELECT max(id), min(v), max(v), count(*), count(v) FROM t

query
SELECT id, v FROM t WHERE id > 50

query
SELECT count(*) FROM t WHERE d IS NULL AND id > 99

-- What has no statistics.
query expect_error(UNRESOLVED_COLUMN.WITH_SUGGESTION)
ANALYZE TABLE t COMPUTE STATISTICS FOR COLUMNS v, absent

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
ANALYZE TABLE t COMPUTE STATISTICS FOR COLUMNS a

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
ANALYZE TABLE t PARTITION (p = 'x') COMPUTE STATISTICS

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
ANALYZE TABLE t PARTITION (p) COMPUTE STATISTICS NOSCAN

-- A column that got another type or name has none until the next ANALYZE TABLE.
statement
CREATE TABLE u (id INT, v INT, `order` INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO u VALUES (1, 1, 7), (2, NULL, 8)

query
ANALYZE TABLE u COMPUTE STATISTICS FOR ALL COLUMNS

query
DESCRIBE EXTENDED u `order`

statement
ALTER TABLE u ALTER COLUMN v TYPE BIGINT

query
DESCRIBE EXTENDED u v

statement
ALTER TABLE u RENAME COLUMN v TO w

query
DESCRIBE EXTENDED u w

query
SELECT * FROM u WHERE w = 1 AND `order` > 6

query
SELECT l.id FROM u l JOIN u r ON l.w = r.w AND l.`order` = r.`order`

-- NOSCAN counts the rows of base files, and not those of log files.
statement
CREATE TABLE logged (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (type = 'mor')

statement
INSERT INTO logged VALUES (1, 'a'), (2, 'b'), (3, 'c')

statement
MERGE INTO logged t USING (SELECT * FROM VALUES (2, 'changed'), (4, 'new') AS q(id, v)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
ANALYZE TABLE logged COMPUTE STATISTICS FOR COLUMNS id

query
DESCRIBE EXTENDED logged id

-- All tables of a database, of each format.
statement
CREATE TABLE plain USING parquet AS SELECT 1 AS id

statement
CREATE VIEW watched AS SELECT * FROM plain

query
ANALYZE TABLES COMPUTE STATISTICS

query
ANALYZE TABLES COMPUTE STATISTICS NOSCAN

query
DESCRIBE EXTENDED logged id
