-- Hand: Delta widens types only with a table feature
-- A column widens to a type that holds each value it has; old rows have the same values.
statement
CREATE TABLE t (id INT, b TINYINT, s SMALLINT, i INT, f FLOAT, d DECIMAL(5, 2), j INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 127, 32767, 2147483647, 1.5, 123.45, 7), (2, -128, -32768, -2147483648, -1.5, -999.99, NULL)

statement
ALTER TABLE t ALTER COLUMN b TYPE SMALLINT

statement
ALTER TABLE t ALTER COLUMN s TYPE INT

statement
ALTER TABLE t ALTER COLUMN i TYPE BIGINT

statement
ALTER TABLE t ALTER COLUMN f TYPE DOUBLE

statement
ALTER TABLE t ALTER COLUMN d TYPE DECIMAL(20, 4)

statement
ALTER TABLE t ALTER COLUMN j TYPE DOUBLE

query
SELECT * FROM t

query
DESCRIBE t

query
MERGE INTO t USING (SELECT 1 id, 9999999999L i, 12345678901234.5678 d) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET i = s.i, d = s.d

query
SELECT * FROM t WHERE i > 2147483647 OR i < 0

query
SELECT min(i), max(i), min(d), max(d), max(f), count(j) FROM t

-- The type that it has changes nothing.
statement
ALTER TABLE t ALTER COLUMN i TYPE BIGINT

query
SELECT count(*) AS commits FROM t.history

statement expect_error(NOT_SUPPORTED_CHANGE_COLUMN)
ALTER TABLE t ALTER COLUMN i TYPE INT

statement expect_error(NOT_SUPPORTED_CHANGE_COLUMN)
ALTER TABLE t ALTER COLUMN d TYPE DECIMAL(10, 4)

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t ALTER COLUMN i TYPE DECIMAL(30, 0)

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t ALTER COLUMN s TYPE STRING

-- A longer text needs no new files.
statement
CREATE TABLE w (id INT, v VARCHAR(3), c CHAR(2), PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO w VALUES (1, 'abc', 'x')

statement expect_error(EXCEED_LIMIT_LENGTH)
INSERT INTO w VALUES (2, 'abcde', 'xy')

statement
ALTER TABLE w ALTER COLUMN v TYPE VARCHAR(5)

statement
ALTER TABLE w ALTER COLUMN c TYPE VARCHAR(4)

statement
INSERT INTO w VALUES (2, 'abcde', 'xyz')

query
SELECT id, v, concat(c, '|') FROM w

statement expect_error(NOT_SUPPORTED_CHANGE_COLUMN)
ALTER TABLE w ALTER COLUMN v TYPE VARCHAR(4)

statement
ALTER TABLE w ALTER COLUMN v TYPE STRING

query
DESCRIBE w

query
SELECT count(*) AS commits FROM w.history
