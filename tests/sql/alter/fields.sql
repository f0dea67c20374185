-- Hand: Delta renames and drops fields only with column mapping
-- A new field is NULL in the structs that are there; a struct that is NULL stays NULL.
statement
CREATE TABLE t (id INT, size STRUCT<w: INT, h: TINYINT>, list ARRAY<STRUCT<x: DOUBLE>>, m MAP<STRING, STRUCT<a: INT, deep: STRUCT<b: STRING>>>, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO t VALUES (1, named_struct('w', 1, 'h', 10), array(named_struct('x', 1.5D), NULL), map('k', named_struct('a', 1, 'deep', named_struct('b', 'one')))), (2, NULL, NULL, NULL), (3, named_struct('w', NULL, 'h', NULL), array(), map('k', NULL))

statement
ALTER TABLE t ADD COLUMNS (size.d INT COMMENT 'depth' AFTER w, size.name STRING FIRST)

statement
ALTER TABLE t ADD COLUMN list.element.y DOUBLE

statement
ALTER TABLE t ADD COLUMN m.value.deep.c INT

query
SELECT * FROM t

query
DESCRIBE t

query
SELECT id, size.d, size IS NULL AS no_size, list.y, m['k'].deep.c FROM t

query
SELECT id, size.d FROM t WHERE size.d IS NULL AND size.w = 1

query
SELECT id FROM t WHERE size.name = 'x'

statement
INSERT INTO t VALUES (4, named_struct('name', 'box', 'w', 4, 'd', 44, 'h', 40), array(named_struct('x', 4.5D, 'y', 45.5D)), map('k', named_struct('a', 4, 'deep', named_struct('b', 'four', 'c', 4))))

statement
UPDATE t SET size.d = 11 WHERE id = 1

query
MERGE INTO t USING (SELECT 2 id, named_struct('name', 'bag', 'w', 2, 'd', 22, 'h', CAST(20 AS TINYINT)) size) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET size = s.size

query
SELECT * FROM t

query
SELECT id, size.d FROM t WHERE size.d > 11

-- A state has the fields of its time.
query
SELECT * FROM t VERSION AS OF '{instant 1 of t}'

query
SELECT id, size, _change_type FROM hudilite_changes('t', 'earliest')

-- Fields are renamed, moved, widened and dropped.
statement
ALTER TABLE t RENAME COLUMN size.w TO width

statement
ALTER TABLE t ALTER COLUMN size.h FIRST

statement
ALTER TABLE t ALTER COLUMN size.d TYPE BIGINT

statement
ALTER TABLE t RENAME COLUMN list.element.x TO abscissa

statement
ALTER TABLE t DROP COLUMN m.value.deep.b

query
SELECT * FROM t

-- A new field of an old name has no old values.
statement
ALTER TABLE t ADD COLUMN size.w INT

statement
ALTER TABLE t ADD COLUMN m.value.deep.b STRING

query
SELECT id, size, m FROM t

statement
UPDATE t SET size.w = 7 WHERE id = 4

query
SELECT id, size FROM t

query
SELECT typeof(size), typeof(list), typeof(m) FROM t LIMIT 1

-- A merge-on-read table of version 9, with values in log files.
statement
CREATE TABLE m9 (id INT, s STRUCT<a: INT>, l ARRAY<STRUCT<a: INT>>, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (type = 'mor', 'hoodie.table.version' = '9')

statement
INSERT INTO m9 VALUES (1, named_struct('a', 1), array(named_struct('a', 1))), (2, NULL, NULL), (3, named_struct('a', 3), array(NULL))

statement
UPDATE m9 SET s.a = 30 WHERE id = 3

statement
ALTER TABLE m9 ADD COLUMN s.b STRING FIRST

statement
ALTER TABLE m9 ADD COLUMN l.element.b STRING

query
SELECT * FROM m9

statement
UPDATE m9 SET s.b = 'new' WHERE id = 1

query
MERGE INTO m9 USING (SELECT 4 id, named_struct('b', 'four', 'a', 4) s, array(named_struct('a', 4, 'b', 'l')) l) q ON m9.id = q.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM m9

statement
CALL compact(table => 'm9')

query
SELECT * FROM m9

-- What is not there is refused.
statement expect_error(FIELD_ALREADY_EXISTS)
ALTER TABLE t ADD COLUMN size.d INT

statement expect_error(FIELD_NOT_FOUND)
ALTER TABLE t ADD COLUMN size.z INT AFTER nothing

statement expect_error(UNRESOLVED_COLUMN.WITH_SUGGESTION)
ALTER TABLE t ADD COLUMN nothing.z INT

statement expect_error(INVALID_FIELD_NAME)
ALTER TABLE t ADD COLUMN id.z INT

statement expect_error(HUDILITE_INVALID_NAME)
ALTER TABLE t ADD COLUMN size.`odd name` INT

statement expect_error(FIELD_ALREADY_EXISTS)
ALTER TABLE t ADD COLUMN size.NAME INT

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t ADD COLUMN size.z INT NOT NULL

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t ALTER COLUMN size.width TYPE STRING

statement expect_error(HUDILITE_UNSUPPORTED_TYPE)
ALTER TABLE m9 DROP COLUMNS (s.a, s.b)

query
SELECT count(*) FROM t

-- A constraint names its columns; their fields stay.
statement
CREATE TABLE c (id INT, s STRUCT<a: INT>, PRIMARY KEY (id), CONSTRAINT small CHECK (s.a < 9)) USING hudilite

statement
ALTER TABLE c ADD COLUMN s.b INT

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE c RENAME COLUMN s.a TO c
