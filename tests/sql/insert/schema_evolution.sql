-- Hand: Delta parses WITH SCHEMA EVOLUTION of INSERT since Spark 4.2
-- WITH SCHEMA EVOLUTION: columns that only the rows have come with them, in one commit.
statement
CREATE TABLE t (id INT, v STRING DEFAULT 'none', PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')

-- Not asked for, the error says what to type.
statement expect_error(HUDILITE_COLUMN_UNKNOWN)
INSERT INTO t SELECT 4, 'd', 2.5D AS w

statement expect_error(HUDILITE_COLUMN_UNKNOWN)
INSERT INTO t BY NAME SELECT 4 AS id, 2.5D AS w, STRUCT(1 AS x, ARRAY(1) AS y) AS st

statement expect_error(HUDILITE_COLUMN_UNKNOWN)
INSERT INTO t (id, w) VALUES (4, 2.5D)

statement expect_error(HUDILITE_COLUMN_UNKNOWN)
WITH s AS (SELECT 4 AS id, 'd' AS v, 2.5D AS w) INSERT INTO t SELECT * FROM s

statement expect_error(HUDILITE_COLUMN_UNKNOWN)
INSERT INTO t REPLACE WHERE id = 1 SELECT 1, 'A', 2.5D AS w

statement expect_error(HUDILITE_COLUMN_UNKNOWN)
INSERT INTO t WITH ('mergeSchema' = 'false') SELECT 4, 'd', 2.5D AS w

statement expect_error(HUDILITE_COLUMN_UNKNOWN)
INSERT INTO t SELECT 4, 'd', 2.5D AS v

statement expect_error(HUDILITE_COLUMN_UNKNOWN)
INSERT INTO t SELECT 4, 'd', 2.5D AS `odd name`

-- EXPLAIN changes nothing.
statement
EXPLAIN INSERT WITH SCHEMA EVOLUTION INTO t SELECT 4, 'd', 2.5D AS w

query
DESCRIBE t

-- By position, the new columns are those after the last one.
statement
INSERT WITH SCHEMA EVOLUTION INTO t SELECT 4, 'd', 2.5D AS w

query
SELECT * FROM t

-- By name. A column that the rows do not have has its default.
statement
INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT STRUCT(1 AS x, ARRAY(1) AS y) AS st, 5 AS id

statement
INSERT WITH SCHEMA EVOLUTION INTO t (id, n) VALUES (6, CAST(60 AS BIGINT))

query
SELECT * FROM t

query
DESCRIBE t

query
SELECT count(*) AS commits FROM t.history

-- DEFAULT, a common table expression and a source that reads the table; then the option.
statement
INSERT WITH SCHEMA EVOLUTION INTO t (id, v) VALUES (7, DEFAULT)

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
INSERT WITH SCHEMA EVOLUTION INTO t (id, v, o) VALUES (8, DEFAULT, true)

statement
WITH s AS (SELECT id + 10 AS id, v, id * 2 AS twice FROM t WHERE id < 3) INSERT WITH SCHEMA EVOLUTION INTO TABLE t BY NAME SELECT * FROM s

statement
INSERT INTO t WITH ('mergeSchema' = 'true') BY NAME SELECT 8 AS id, 'opted' AS opt

statement
INSERT INTO t WITH ('merge-schema' = 'true') BY NAME SELECT 9 AS id, 'opted again' AS opt

query
SELECT id, v, twice, opt FROM t WHERE id > 6

-- Nothing new: an ordinary INSERT. Columns come also where no row does.
statement
INSERT WITH SCHEMA EVOLUTION INTO t (id) VALUES (20)

statement
INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 1 AS id, 'x' AS late WHERE false

query
SELECT count(*) AS commits, count(late) AS late FROM t.history JOIN t ON id = 20

-- Overwrites, also with rows of the table itself.
statement expect_error(HUDILITE_COLUMN_UNKNOWN)
INSERT INTO t REPLACE WHERE id = 20 SELECT *, 'x' AS never FROM t WHERE id = 20

statement
INSERT WITH SCHEMA EVOLUTION INTO t REPLACE WHERE id < 20 SELECT 1, 'r', 1.5D, NULL, 1, 2, 'o', 'l', 'fresh' AS replaced

query
SELECT id, v, replaced FROM t

statement
INSERT WITH SCHEMA EVOLUTION OVERWRITE t BY NAME SELECT 1 AS id, 'over' AS v, DATE'2024-01-01' AS day

query
SELECT id, v, day FROM t

-- A key that exists is an error as ever; nothing is added then.
statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 1 AS id, 'x' AS never

-- Types do not change. Structs that lack fields or have new ones: new_fields.sql.
statement expect_error(INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST)
INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 'text' AS day, 2 AS id, 3 AS never

statement expect_error(INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST)
INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT true AS day, 2 AS id, 3 AS never

statement expect_error(HUDILITE_COLUMN_UNKNOWN)
INSERT WITH SCHEMA EVOLUTION INTO t SELECT 2, 'd', 2.5D, NULL, 1, 2, 'o', 'l', 'r', NULL, 1 AS ID

statement expect_error(HUDILITE_INVALID_NAME)
INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 2 AS id, 1 AS `odd name`

statement expect_error(HUDILITE_INVALID_NAME)
INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 2 AS id, '0' AS _hoodie_commit_time

statement expect_error(HUDILITE_UNSUPPORTED_TYPE)
INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 2 AS id, INTERVAL '1' DAY AS span

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
INSERT INTO t WITH ('mergeSchema' = 'maybe') SELECT 2, 'd', 2.5D AS w

statement expect_error(TABLE_OR_VIEW_NOT_FOUND)
INSERT WITH SCHEMA EVOLUTION INTO nowhere SELECT 1 AS id

query
DESCRIBE t

-- Partitions, a constraint, and a table without buckets.
statement
CREATE TABLE parted (id INT, p STRING, n INT, PRIMARY KEY (id), CONSTRAINT positive CHECK (n > 0)) USING hudilite PARTITIONED BY (p)

statement
INSERT INTO parted VALUES (1, 'x', 1), (2, 'y', 2)

statement
INSERT WITH SCHEMA EVOLUTION INTO parted PARTITION (p = 'x') SELECT 3, 3, 'c' AS v

statement
INSERT WITH SCHEMA EVOLUTION OVERWRITE parted PARTITION (p = 'y') SELECT 4, 4, 'd', 4.5D AS w

statement expect_error(CHECK_CONSTRAINT_VIOLATION)
INSERT WITH SCHEMA EVOLUTION INTO parted BY NAME SELECT 5 AS id, -5 AS n, 'x' AS p, 5 AS never

query
SELECT * FROM parted

-- Rows that replace those with their key, in a merge-on-read table.
statement
CREATE TABLE mor (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (type = 'mor')

statement
INSERT INTO mor VALUES (1, 'a'), (2, 'b')

statement
SET spark.hudilite.insert.duplicates = update

statement
INSERT WITH SCHEMA EVOLUTION INTO mor SELECT 2, 'B', 22 AS n UNION ALL SELECT 3, 'C', 33

statement
RESET spark.hudilite.insert.duplicates

query
SELECT * FROM mor

-- A table whose name is an expression.
statement
INSERT WITH SCHEMA EVOLUTION INTO IDENTIFIER('mor') SELECT 4, 'D', 44, 'one' AS first

query
SELECT * FROM mor WHERE id = 4
