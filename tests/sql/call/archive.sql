-- Faults: F42
-- Hand: procedures are hudilite's own
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1

-- There is nothing to archive.
query
CALL archive(table => 't')

statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'a', 'y')

statement
UPDATE t SET v = 'b' WHERE p = 'x'

statement
UPDATE t SET v = 'c' WHERE p = 'x'

statement
INSERT OVERWRITE t PARTITION (p = 'y') VALUES (3, 'd')

statement
UPDATE t SET v = 'e' WHERE p = 'x'

statement
UPDATE t SET v = 'f' WHERE p = 'y'

-- The limits are those of stock Hudi.
query
CALL archive(table => 't')

query
CALL archive(table => 't', keep_min => 2, keep_max => 3, dry_run => true)

query
CALL archive(table => 't', keep_min => 2, keep_max => 3)

query
SELECT * FROM t ORDER BY id

query
SELECT * FROM t VERSION AS OF '{instant 1 of t}' ORDER BY id

-- No clean has deleted what the overwrite hid.
query
CALL archive(table => 't', keep_min => 1, keep_max => 2)

query
CALL clean(table => 't', retain_commits => 2, retain_hours => 0, allow_short_retention => true)

statement
CALL savepoint(table => 't', instant => '{instant 2 of t}')

query
CALL archive(table => 't', keep_min => 1, keep_max => 2)

statement
CALL delete_savepoint(table => 't', instant => '{instant 1 of t}')

statement
UPDATE t SET v = 'g' WHERE p = 'x'

query
CALL archive(table => 't', keep_min => 1, keep_max => 2)

query
SELECT * FROM t ORDER BY id

query
SELECT action, state, commit_number FROM t.history ORDER BY instant

query
CALL verify(table => 't', level => 'rows')

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM t TIMESTAMP AS OF '2020-01-01'

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL archive(table => 't', keep_min => 0)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL archive(table => 't', keep_min => 30)

-- Stock Hudi's name of the procedure and its arguments.
query
CALL archive_commits(table => 't', min_commits => 2, max_commits => 3, retain_commits => 1)

query
CALL archive_commits('t')

-- As in stock Hudi, more commits stay than a clean retains.
query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL archive_commits(table => 't', min_commits => 10)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL archive_commits(table => 't', max_commits => 20)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL archive_commits(path => '{folder}')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL archive_commits(table => 't', enable_metadata => true)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL archive_commits()

query
CALL archive(table => 't', dry_run => true, keep_checkpoints => false)
