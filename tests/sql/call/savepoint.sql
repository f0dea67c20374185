-- Hand: procedures are hudilite's own
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
CALL savepoint(table => 't')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL delete_savepoint(table => 't', instant => '20200101000000000')

statement
INSERT INTO t VALUES (1, 'a'), (2, 'a'), (3, 'a')

statement
UPDATE t SET v = 'b'

query
CALL savepoint(table => 't', comment => 'before the move')

-- Once more changes nothing.
query
CALL savepoint(table => 't')

statement
UPDATE t SET v = 'c'

query
CALL savepoint(table => 't', instant => '{instant 1 of t}')

-- A savepoint is no commit.
query
SELECT * FROM t ORDER BY id

query
CALL show_timeline(table => 't')

query expect_error(HUDILITE_VERSION_NOT_FOUND)
CALL savepoint(table => 't', instant => '20200101000000000')

query expect_error(HUDILITE_VERSION_NOT_FOUND)
CALL savepoint(table => 't', instant => 'yesterday')

query
CALL clean(table => 't', retain_commits => 1, retain_hours => 0, allow_short_retention => true)

query
SELECT * FROM t VERSION AS OF '{instant 1 of t}' ORDER BY id

query
CALL delete_savepoint(table => 't', instant => '{instant 1 of t}')

query
CALL delete_savepoint(table => 't', instant => '{instant 1 of t}')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL delete_savepoint(table => 't', instant => '20200101000000000')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL delete_savepoint(table => 't', instant => NULL)

query
CALL clean(table => 't', retain_commits => 1, retain_hours => 0, allow_short_retention => true)

query expect_error(HUDILITE_SNAPSHOT_EXPIRED)
SELECT * FROM t VERSION AS OF '{instant 1 of t}' ORDER BY id

query
SELECT * FROM t VERSION AS OF '{instant 2 of t}' ORDER BY id

query
DESCRIBE PROCEDURE savepoint

query
DESCRIBE PROCEDURE delete_savepoint
