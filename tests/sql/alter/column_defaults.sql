-- Hand: Delta gives an error for DROP DEFAULT of a column without one
-- ALTER COLUMN SET DEFAULT and DROP DEFAULT: for new rows. Existing rows keep their values.
statement
CREATE TABLE t (id INT, v STRING DEFAULT 'open', n INT, p STRING, s STRUCT<a: INT>, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO t (id, p) VALUES (1, 'x')

statement
ALTER TABLE t ALTER COLUMN v SET DEFAULT 'new'

statement
ALTER TABLE t ALTER COLUMN n SET DEFAULT 3 + 4

statement
ALTER TABLE t ALTER COLUMN p SET DEFAULT 'here'

statement
INSERT INTO t (id) VALUES (2)

statement
MERGE INTO t USING (SELECT 1 id UNION ALL SELECT 3) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = DEFAULT WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)

statement
UPDATE t SET n = DEFAULT WHERE id = 1

query
SELECT * FROM t

-- A column that is added later: older rows are null, as in files that lack the column.
statement
ALTER TABLE t ADD COLUMN w INT

statement
ALTER TABLE t ALTER COLUMN w SET DEFAULT 5

statement
INSERT INTO t (id) VALUES (4)

query
SELECT id, w FROM t

query
SHOW CREATE TABLE t

-- Another change of the table keeps the defaults.
statement
ALTER TABLE t RENAME COLUMN n TO m

statement
ALTER TABLE t ALTER COLUMN m TYPE BIGINT

statement
ALTER TABLE t ALTER COLUMN v DROP DEFAULT

statement
ALTER TABLE t ALTER COLUMN w DROP DEFAULT

statement
ALTER TABLE t ALTER COLUMN w DROP DEFAULT

statement
INSERT INTO t (id) VALUES (5)

query
SELECT * FROM t WHERE id = 5

statement
ALTER TABLE t DROP COLUMN m

query
SHOW CREATE TABLE t

-- Values that are no constant, or of another type, and fields.
statement expect_error(INVALID_DEFAULT_VALUE.UNRESOLVED_EXPRESSION)
ALTER TABLE t ALTER COLUMN v SET DEFAULT p

statement expect_error(INVALID_DEFAULT_VALUE.DATA_TYPE)
ALTER TABLE t ALTER COLUMN w SET DEFAULT 'x'

statement expect_error(INVALID_DEFAULT_VALUE.SUBQUERY_EXPRESSION)
ALTER TABLE t ALTER COLUMN w SET DEFAULT (SELECT 1)

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t ALTER COLUMN s.a SET DEFAULT 1

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t ADD COLUMN x INT DEFAULT 5

-- A declaration with another default says how to change it.
statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, v STRING DEFAULT 'open', p STRING DEFAULT 'here', s STRUCT<a: INT>, w INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

query
SELECT * FROM t
