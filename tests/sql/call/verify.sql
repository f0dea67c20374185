-- Faults: F88
-- Hand: procedures are hudilite's own
-- A table that is whole answers with no row, whatever was done to it.
statement
CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

query
CALL verify(table => 't', level => 'rows')

statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'a', 'y'), (3, 'b', 'z'), (4, NULL, 'w'), (5, 'c/1 =:%é', 'u')

statement
MERGE INTO t USING (SELECT * FROM VALUES (1, 'a', 'x1'), (6, 'a', 'w'), (2, 'a', NULL) AS s (id, p, v)) s
ON t.id = s.id AND t.p = s.p
WHEN MATCHED AND s.v IS NULL THEN DELETE
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *

query
CALL verify(table => 't', level => 'rows')

statement
ALTER TABLE t ADD COLUMNS (more DECIMAL(12, 2))

statement
INSERT OVERWRITE t PARTITION (p = 'b') SELECT 7, 'x', 1.5

statement
DELETE FROM t WHERE id IN (5, 6)

statement
UPDATE t SET p = 'b' WHERE id = 1

query
CALL verify(table => 't', level => 'rows')

query
CALL verify(table => 't', level => 'meta')

-- The level is files where nothing is said.
query
CALL verify('t')

query
CALL system.verify(level => 'FILES', table => 't')

-- A key of several columns, of which one is hashed; partitions of two levels.
statement
CREATE TABLE wide (a STRING, b DATE, c BINARY, v INT, PRIMARY KEY (a, b, c)) USING hudilite WITH BUCKETS 3 ON (a)

statement
INSERT INTO wide VALUES ('', DATE '0001-01-01', X'', 1), ('a,x:c', DATE '2024-02-29', X'00ff', 2), ('é😀', DATE '9999-12-31', X'41', 3)

query
CALL verify('wide', 'rows')

statement
CREATE TABLE deep (k DECIMAL(10, 3), t TIMESTAMP, d DATE, n INT, PRIMARY KEY (k, t)) USING hudilite PARTITIONED BY (d, n) WITH BUCKETS 1

statement
INSERT INTO deep VALUES (1.5, TIMESTAMP '2024-01-02 03:04:05.678901', DATE '2024-01-02', -1), (-2, TIMESTAMP '1500-01-01 00:00:00', NULL, NULL), (0, TIMESTAMP '1969-12-31 23:59:59', DATE '1969-12-31', 7)

query
CALL verify('deep', 'rows')

statement
TRUNCATE TABLE deep

query
CALL verify('deep')

-- By path, in three spellings.
statement
CREATE TABLE placed (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 LOCATION '{folder}/placed'

statement
INSERT INTO placed VALUES (1, 'a')

query
CALL verify('hudilite.`{folder}/placed`', 'rows')

query
CALL verify('{folder}/placed', 'meta')

query
CALL verify('file:{folder}/placed', 'meta')

-- Session settings that hide damage have no say; nor has the session's time zone.
statement
SET spark.sql.session.timeZone = Asia/Kolkata

query
CALL verify('t', 'rows')

-- Arguments.
query
DESCRIBE PROCEDURE verify

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL verify('t', 'file')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL verify('t', '')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL verify('t', 'it''s "quoted" `twice`')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL verify('t', repeat('rows', 262144))

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL verify('t', CAST(NULL AS STRING))

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL verify(CAST(NULL AS STRING))

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL verify(repeat('t', 1048576))

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL verify(repeat('''"', 524288))

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL verify('')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL verify('two words')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL verify('it''s')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL verify('`t')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL verify('{folder}')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL verify('{folder}/placed/.hoodie')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL verify('hudilite.`{folder}/nowhere`')

query expect_error(HUDILITE_PATH_INVALID)
CALL verify('nosuchscheme://x/y')

query expect_error(UNRECOGNIZED_PARAMETER_NAME)
CALL verify(table => 't', levl => 'rows')

query expect_error(REQUIRED_PARAMETER_NOT_FOUND)
CALL verify(level => 'rows')

query expect_error(DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE)
CALL verify('t', array('rows'))

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
CALL verify('nowhere')

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
CALL verify('no_database.t')

statement
CREATE TABLE plain (id INT) USING parquet

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
CALL verify('plain')

statement
CREATE TEMPORARY VIEW seen AS SELECT * FROM t

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
CALL verify('seen')

-- Showing a plan looks at nothing.
statement
EXPLAIN CALL verify('t', 'rows')
