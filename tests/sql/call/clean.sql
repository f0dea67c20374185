-- Faults: F29
-- Hand: procedures are hudilite's own
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1

-- Nothing is there to clean.
query
CALL clean(table => 't', retain_commits => 1, retain_hours => 0, allow_short_retention => true)

statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'a', 'y')

statement
UPDATE t SET v = 'b' WHERE p = 'x'

statement
UPDATE t SET v = 'c' WHERE p = 'x'

statement
INSERT OVERWRITE t PARTITION (p = 'y') VALUES (3, 'd')

-- All of it is younger than a week.
query
CALL clean(table => 't', retain_commits => 1)

-- A running query may be older than an hour.
query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL clean(table => 't', retain_hours => 1)

query
CALL clean(table => 't', retain_commits => 2, retain_hours => 0, allow_short_retention => true, dry_run => true)

query
SELECT count(*) FROM t VERSION AS OF '{instant 1 of t}'

query
CALL clean(table => 't', retain_commits => 2, retain_hours => 0, allow_short_retention => true)

query
CALL clean(table => 't', retain_commits => 2, retain_hours => 0, allow_short_retention => true)

query
SELECT * FROM t ORDER BY id

query
SELECT * FROM t VERSION AS OF '{instant 3 of t}' ORDER BY id

query expect_error(HUDILITE_SNAPSHOT_EXPIRED)
SELECT * FROM t VERSION AS OF '{instant 1 of t}'

query expect_error(HUDILITE_SNAPSHOT_EXPIRED)
CALL savepoint(table => 't', instant => '{instant 1 of t}')

-- The group that the overwrite hid goes with the last state that shows it.
query
CALL clean(table => 't', retain_commits => 1, retain_hours => 0, allow_short_retention => true)

query
CALL verify(table => 't', level => 'rows')

query
SELECT * FROM t ORDER BY id

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL clean(table => 't', retain_commits => 0)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL clean(table => 't', retain_hours => -1, allow_short_retention => true)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL clean(table => 't', dry_run => NULL)

query expect_error(UNRECOGNIZED_PARAMETER_NAME)
CALL clean(table => 't', retain_commit => 3)

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
CALL clean(table => 'nowhere')

query
DESCRIBE PROCEDURE clean
