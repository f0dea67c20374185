-- Hand: returns other columns than Delta
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO t VALUES (1, 'a')

statement
UPDATE t SET v = 'b'

statement
UPDATE t SET v = 'c'

-- All of it is younger than a week.
query
VACUUM t

query
VACUUM t RETAIN 200 HOURS DRY RUN

query
VACUUM hudilite.`{folder}/db/t` DRY RUN

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
VACUUM t RETAIN 0 HOURS

-- What the error says to write instead.
query
CALL clean(table => 't', retain_commits => 1, retain_hours => 0, dry_run => false, allow_short_retention => true)

query
SELECT * FROM t

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
VACUUM t FULL

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
VACUUM t LITE RETAIN 200 HOURS

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
VACUUM t USING INVENTORY (SELECT 1)

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
VACUUM t RETAIN 1.5 HOURS

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
VACUUM t DRY RUN DRY RUN

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
VACUUM nowhere

-- A table of another provider: what the other parsers of the session say.
statement
CREATE TABLE plain (id INT) USING parquet

query expect_error(PARSE_SYNTAX_ERROR)
VACUUM plain

query expect_error(PARSE_SYNTAX_ERROR)
OPTIMIZE plain ZORDER BY (id)

query expect_error(INVALID_STATEMENT_OR_CLAUSE)
SHOW INDEXES FROM plain

query
EXPLAIN VACUUM t DRY RUN

query expect_error(PARSE_SYNTAX_ERROR)
EXPLAIN VACUUM
