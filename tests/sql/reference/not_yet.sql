-- Hand: errors only
-- What docs/sql-reference.md calls not yet: refused by name, and nothing changes.
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a')

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
SELECT * FROM `t$snapshots`

query expect_error(_LEGACY_ERROR_TEMP_3102)
SELECT * FROM STREAM t

query expect_error(HUDILITE_PROCEDURE_NOT_FOUND)
CALL show_commit(table => 't')

query
SELECT * FROM t
