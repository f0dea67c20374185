-- Hand: procedures are hudilite's own
-- What is compacted, and from what: interop/test_compact.py.
statement
CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)

statement
INSERT INTO t SELECT CAST(id AS INT), 'a', 'x' FROM range(10)

-- A copy-on-write table has no log files.
query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
CALL compact(table => 't')

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
CALL compact('t', 'p = ''a''', 2)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL compact(table => 't', min_log_files => 0)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL compact(table => 't', min_log_files => CAST(NULL AS INT))

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL compact(CAST(NULL AS STRING))

query expect_error(UNRECOGNIZED_PARAMETER_NAME)
CALL compact(table => 't', partition => 'p=a')

query
DESCRIBE PROCEDURE compact

-- Nothing above wrote anything.
query
SELECT count(DISTINCT _hoodie_commit_time) FROM t
