-- Hand: procedures are hudilite's own
statement
CREATE TABLE t (k INT, v STRING, n INT, p STRING, PRIMARY KEY (k)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 4

-- 1
statement
INSERT INTO t SELECT k, concat('v', k), k % 3, if(k < 20, 'x', 'y') FROM range(30) AS r(k)

-- 2
statement
MERGE INTO t USING (SELECT 1 k, 'one' v, 1 n, 'x' p UNION ALL SELECT 25, NULL, 1, 'y' UNION ALL SELECT 40, 'new', 4, 'z') s ON t.k = s.k AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

-- 3
statement
DELETE FROM t WHERE k = 2

-- 4, no value changes.
statement
UPDATE t SET v = v WHERE k = 3

query
CALL diff(table => 't', version => '1')

query
CALL diff(table => 't', version => '1', rows => true)

query
CALL diff(table => 't', version => '{instant 1 of t}', to_version => '2', rows => true)

-- Nothing differs.
query
CALL diff(table => 't', version => '3')

query
CALL diff('t', version => '4', rows => true)

-- The other way round.
query
CALL diff(table => 't', version => '4', to_version => '1', rows => true)

-- A number without quotes.
query
CALL diff(table => 't', version => 2)

query
CALL diff(table => 't', version => '1', to_timestamp => current_timestamp())

query
CALL diff(table => 't', version => '1', columns => 'n', rows => true)

query
CALL diff(table => 't', version => '1', columns => 'n, `v`')

query
CALL diff(table => 't', version => '1', where => "p = 'x' AND k < 2", rows => true)

-- Of each state the rows are compared that pass the condition.
query
CALL diff(table => 't', version => '1', where => "v LIKE 'v%'", rows => true)

-- Names of columns in another case.
query
CALL diff(table => 't', version => '1', where => "V LIKE 'v%'")

query
CALL diff(table => 't', version => '1', where => "p = 'x'", rows => true, limit => 1)

-- Two tables that are bucketed alike.
statement
CREATE TABLE s (k INT, v STRING, n INT, p STRING, PRIMARY KEY (k)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 4

statement
INSERT INTO s SELECT * FROM t VERSION AS OF 1

query
CALL diff(table => 't', other => 's', rows => true)

query
CALL diff(table => 's', other => 't')

query
CALL diff(table => 's', other => 't', version => '1')

query
CALL diff(table => 't', to_version => '1', other => 's')

query
CALL diff(table => 't', other => 'hudilite.`{folder}/db/t`', version => '2')

-- What is wrong is named.
query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL diff(table => 't')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL diff(table => 't', version => '1', timestamp => '2020-01-01 00:00:00')

query expect_error(HUDILITE_VERSION_NOT_FOUND)
CALL diff(table => 't', timestamp => '2020-01-01 00:00:00')

query expect_error(HUDILITE_VERSION_NOT_FOUND)
CALL diff(table => 't', version => '1', to_timestamp => '2020-01-01 00:00:00')

query expect_error(HUDILITE_VERSION_NOT_FOUND)
CALL diff(table => 't', version => 'first')

query expect_error(HUDILITE_VERSION_NOT_FOUND)
CALL diff(table => 't', version => '17')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL diff(table => 't', version => '1', columns => 'w')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL diff(table => 't', version => '1', columns => 'v,,n')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL diff(table => 't', version => '1', where => 'w = 1')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL diff(table => 't', version => '1', where => 'k IN (SELECT 1)')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL diff(table => 't', version => '1', where => 'rand() < 1')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL diff(table => 't', version => '1', rows => true, limit => 0)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL diff(table => 't', version => '1', rows => NULL)

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
CALL diff(table => 't', other => 'none')

query
DESCRIBE PROCEDURE diff

-- Nothing above wrote anything.
query
SELECT max(commit_number) FROM t.history
