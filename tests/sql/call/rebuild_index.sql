-- Hand: procedures are hudilite's own
-- What is rebuilt, and why: e2e/test_rebuild_index.py.
statement
CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)

query
CALL rebuild_index(table => 't')

statement
INSERT INTO t SELECT CAST(id AS INT), 'a', 'x' FROM range(10)

query
CALL rebuild_index(table => 't')

query
CALL rebuild_index('t', 'p=a')

query
CALL rebuild_index('t', CAST(NULL AS STRING))

query
CALL rebuild_index(table => 't', level => 'ROWS')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rebuild_index(table => 't', level => 'files')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rebuild_index('t', 'p=nowhere')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rebuild_index('t', '')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rebuild_index(CAST(NULL AS STRING))

query expect_error(UNRECOGNIZED_PARAMETER_NAME)
CALL rebuild_index(table => 't', bucket => 0)

-- A table with buckets has nothing to rebuild.
statement
CREATE TABLE b (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
CALL rebuild_index(table => 'b')

query
DESCRIBE PROCEDURE rebuild_index

-- Nothing above wrote anything.
query
SELECT count(DISTINCT _hoodie_commit_time) FROM t
