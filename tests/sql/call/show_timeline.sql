-- Faults: F88
-- Hand: procedures are hudilite's own
-- A table without a commit has an empty timeline.
statement
CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id, p)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1

query
CALL show_timeline(table => 't')

statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'a', 'y'), (3, 'b', 'z')

statement
MERGE INTO t USING (SELECT * FROM VALUES (1, 'a', 'x1'), (4, 'a', 'w'), (2, 'a', NULL) AS s (id, p, v)) s
ON t.id = s.id AND t.p = s.p
WHEN MATCHED AND s.v IS NULL THEN DELETE
WHEN MATCHED THEN UPDATE SET *
WHEN NOT MATCHED THEN INSERT *

-- The latest instant comes first.
query
CALL show_timeline(table => 't')

query
CALL show_timeline('t', 1)

-- The namespace may be named.
query
CALL system.show_timeline(limit => 1, table => 't')

query
SHOW PROCEDURES

query
DESCRIBE PROCEDURE show_timeline

query expect_error(UNRECOGNIZED_PARAMETER_NAME)
CALL show_timeline(tabel => 't')

query expect_error(REQUIRED_PARAMETER_NOT_FOUND)
CALL show_timeline(limit => 3)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL show_timeline('t', 0)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL show_timeline('t', CAST(NULL AS INT))

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL show_timeline(CAST(NULL AS STRING))

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
CALL show_timeline('nowhere')

query expect_error(PARSE_SYNTAX_ERROR)
CALL show_timeline('two words')

statement
CREATE TABLE plain (id INT) USING parquet

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
CALL show_timeline(table => 'plain')

statement
CREATE TEMPORARY VIEW seen AS SELECT * FROM t

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
CALL show_timeline(table => 'seen')

-- Showing a plan calls nothing.
statement
EXPLAIN CALL show_timeline('t')
