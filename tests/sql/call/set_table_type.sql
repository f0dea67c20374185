-- Hand: procedures are hudilite's own
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (type = 'mor')

query
CALL set_table_type(table => 't', type => 'mor')

statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'y'), (3, 'c', 'y')

statement
CALL savepoint(table => 't')

statement
UPDATE t SET v = 'd' WHERE id = 2

query
CALL set_table_type(table => 't', type => 'cow')

query
SELECT * FROM t ORDER BY id

query
SELECT partition, bucket, rows FROM t.files ORDER BY partition, bucket

query
CALL set_table_type(table => 't', type => 'COPY_ON_WRITE')

query
CALL verify(table => 't')

query
SELECT action, operation FROM t.history ORDER BY instant

query
SHOW TBLPROPERTIES t ('type')

statement
UPDATE t SET v = 'e' WHERE id = 2

query
SELECT action FROM t.history ORDER BY instant

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
CALL compact(table => 't')

query
CALL clean(table => 't', retain_commits => 1, retain_hours => 0, allow_short_retention => true, dry_run => true)

query
CALL set_table_type('t', 'MERGE_ON_READ')

statement
DELETE FROM t WHERE id = 3

query
SELECT * FROM t ORDER BY id

query
CALL verify(table => 't')

-- A table without a commit
statement
CREATE TABLE empty (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES (type = 'mor')

query
CALL set_table_type(table => 'empty', type => 'cow')

statement
INSERT INTO empty VALUES (1)

query
SELECT action FROM empty.history

-- An ordering field must have a value in each row of a merge-on-read table
statement
CREATE TABLE late (id INT, ts BIGINT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES (preCombineField = 'ts')

statement
INSERT INTO late VALUES (1, 1), (2, NULL)

query expect_error(HUDILITE_NULL_ORDERING_STORED)
CALL set_table_type(table => 'late', type => 'mor')

query
SELECT * FROM late WHERE ts IS NULL

statement
UPDATE late SET ts = 0 WHERE ts IS NULL

query
CALL set_table_type(table => 'late', type => 'mor')

-- A copy-on-write table is merge-on-read again after a restore to a state with log files
statement
CREATE TABLE back (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (type = 'mor')

statement
INSERT INTO back VALUES (1, 'a'), (2, 'b')

statement
UPDATE back SET v = 'in a log file' WHERE id = 2

query
CALL set_table_type(table => 'back', type => 'cow')

statement
UPDATE back SET v = 'undone'

query
CALL restore(table => 'back', instant => '{instant 2 of back}', dry_run => true)

query
SHOW TBLPROPERTIES back ('type')

query
CALL restore(table => 'back', instant => '{instant 2 of back}')

query
SELECT * FROM back ORDER BY id

query
SHOW TBLPROPERTIES back ('type')

statement
UPDATE back SET v = 'c' WHERE id = 1

query
SELECT action FROM back.history ORDER BY instant

query
CALL set_table_type(table => 'back', type => 'cow')

query
SELECT * FROM back ORDER BY id

query
CALL verify(table => 'back')

query
DESCRIBE PROCEDURE set_table_type

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL set_table_type(table => 't', type => 'moo')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL set_table_type(table => 't', type => CAST(NULL AS STRING))
