-- Hand: procedures are hudilite's own
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

query
CALL show_files(table => 't')

query
CALL show_buckets(table => 't')

statement
INSERT INTO t SELECT id, 'a', if(id < 6, 'x', 'y') FROM range(9)

statement
DELETE FROM t WHERE id = 0

query
CALL show_files(table => 't')

query
CALL show_files(table => 't', partition => 'p=y')

query
CALL show_files('t', limit => 1)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL show_files(table => 't', partition => 'p=z')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL show_files(table => 't', limit => 0)

query
CALL show_buckets(table => 't')

query
CALL show_buckets(table => 't', partition => 'p=y')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL show_buckets(table => 't', partition => 'p=z')

-- Lists of a table by name.
query
SELECT partition, bucket, rows, source FROM t.files ORDER BY partition, bucket

query
SELECT instant, action, state, commit_number, operation, rows_written FROM t.history

query
SELECT partition, bucket, versions, first_instant, last_instant, current_bytes < bytes AS older FROM t.file_groups

query
SELECT partition, files, rows, last_instant FROM t.partitions

query
SELECT count(*) FROM t.bootstrap

query
SELECT h.operation, f.partition, f.rows FROM t.files f JOIN t.history h ON f.instant = h.instant

-- Of an earlier state.
query
SELECT partition, bucket, rows FROM t.files VERSION AS OF '{instant 1 of t}'

query
SELECT partition, files, rows, last_instant FROM t.partitions VERSION AS OF '{instant 1 of t}'

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM t.files VERSION AS OF '20200101000000000'

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
SELECT * FROM t.versions

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
SELECT * FROM nowhere.files

query expect_error(UNSUPPORTED_FEATURE.TABLE_OPERATION)
INSERT INTO t.files SELECT * FROM t.files

query
DESCRIBE t.partitions

statement
CREATE TABLE b (id INT, PRIMARY KEY (id)) USING hudilite

statement
INSERT INTO b VALUES (1)

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
CALL show_buckets(table => 'b')

query
SELECT partition, bucket, rows FROM b.files

query
DESCRIBE PROCEDURE show_files

query
DESCRIBE PROCEDURE show_buckets
