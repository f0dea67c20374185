-- Hand: Delta renames and drops columns only with column mapping
-- A column's new name is that of all rows, and a new column of the old name is another.
statement
CREATE TABLE t (id INT, a STRING, p STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 PARTITIONED BY (p)

statement
INSERT INTO t VALUES (1, 'one', 'x'), (2, 'two', 'x'), (3, 'three', 'y')

query
SELECT id, a, _hoodie_commit_time = min(_hoodie_commit_time) OVER () AS is_first FROM t

statement
ALTER TABLE t RENAME COLUMN a TO b

query
SELECT * FROM t

-- A row that only its column's name changed bears the time of its own commit.
query
SELECT count(DISTINCT _hoodie_commit_time) AS times, count(DISTINCT _hoodie_file_name) AS files FROM t

statement
ALTER TABLE t ADD COLUMN a STRING COMMENT 'another'

query
SELECT * FROM t

query
MERGE INTO t USING (SELECT 1 id, 'ONE' b, 'new' a UNION ALL SELECT 4, 'four', 'new') s ON t.id = s.id AND t.p = 'x' WHEN MATCHED THEN UPDATE SET b = s.b, a = s.a WHEN NOT MATCHED THEN INSERT (id, b, a, p) VALUES (s.id, s.b, s.a, 'x')

query
SELECT * FROM t

query
SELECT id FROM t WHERE a IS NULL

query
DESCRIBE t

-- A state has the columns of its time.
query
SELECT * FROM t VERSION AS OF '{instant 1 of t}'

query
SELECT * FROM t VERSION AS OF '{instant 2 of t}'

query
SELECT id, b, a, _change_type FROM hudilite_changes('t', '{instant 3 of t}')

query expect_error(HUDILITE_COLUMNS_CHANGED)
SELECT * FROM hudilite_changes('t', 'earliest')

statement expect_error(UNRESOLVED_COLUMN.WITH_SUGGESTION)
SELECT c FROM t

statement
ALTER TABLE t DROP COLUMN a

statement
ALTER TABLE t DROP COLUMN IF EXISTS a

statement
ALTER TABLE t ADD COLUMN a INT

query
SELECT * FROM t

statement
ALTER TABLE t DROP COLUMNS (a, b)

query
SELECT * FROM t

-- Nothing but the key is left, and rows come and go.
statement
INSERT INTO t VALUES (9, 'y')

statement
DELETE FROM t WHERE id = 2

query
SELECT * FROM t

query
SELECT operation, count(*) AS commits FROM t.history GROUP BY operation

-- Before the first commit there is no file to write.
statement
CREATE TABLE empty (id INT, a INT, PRIMARY KEY (id)) USING hudilite

statement
ALTER TABLE empty RENAME COLUMN a TO b

statement
INSERT INTO empty VALUES (1, 2)

query
SELECT id, b FROM empty

-- The key, the partition and the ordering field have their names and types for good.
statement
CREATE TABLE o (id INT, ts INT, p INT, v INT, s STRUCT<a: INT>, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 PARTITIONED BY (p) TBLPROPERTIES (preCombineField = 'ts')

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE o RENAME COLUMN id TO k

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE o DROP COLUMN id

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE o ALTER COLUMN id TYPE BIGINT

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE o RENAME COLUMN ts TO at

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE o DROP COLUMN ts

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE o RENAME COLUMN p TO q

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE o ALTER COLUMN p TYPE BIGINT

statement expect_error(HUDILITE_UNSUPPORTED_TYPE)
ALTER TABLE o DROP COLUMN s.a

statement expect_error(FIELD_ALREADY_EXISTS)
ALTER TABLE o RENAME COLUMN v TO ts

statement expect_error(HUDILITE_INVALID_NAME)
ALTER TABLE o RENAME COLUMN v TO `odd name`

statement expect_error(HUDILITE_INVALID_NAME)
ALTER TABLE o RENAME COLUMN v TO _hoodie_v

statement expect_error(UNRESOLVED_COLUMN.WITH_SUGGESTION)
ALTER TABLE o RENAME COLUMN nothing TO v2

query
DESCRIBE o
