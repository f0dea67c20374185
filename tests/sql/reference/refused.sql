-- What docs/support.md says is refused, where no other file shows it.
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a')

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE by_day (id INT, at TIMESTAMP, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (days(at)) WITH BUCKETS 2

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t CLUSTER BY (v)

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
SELECT * FROM `t$snapshots`

query expect_error(_LEGACY_ERROR_TEMP_3102)
SELECT * FROM STREAM t

query expect_error(HUDILITE_PROCEDURE_NOT_FOUND)
CALL show_commit(table => 't')

query
SELECT * FROM t
