-- A table without a commit has none to show.
statement
CREATE TABLE t (id INT, v STRING) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id')

query
CALL show_commits(table => 't')

-- The namespace may be named.
query
CALL system.show_commits('t', 1)

query
SHOW PROCEDURES

query expect_error(HUDILITE_PROCEDURE_NOT_FOUND)
CALL bootstrap(table => 't')

statement
CREATE TABLE plain (id INT) USING parquet

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
CALL show_commits(table => 'plain')
