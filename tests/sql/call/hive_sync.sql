-- Hand: procedures are hudilite's own
-- The catalog lies in the session's memory: there is no metastore to tell.
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

query expect_error(HUDILITE_HIVE_SYNC_FAILED)
CALL hive_sync(table => 't')

query expect_error(HUDILITE_HIVE_SYNC_FAILED)
CALL hive_sync(table => 't', target => 'hive_db.t', dry_run => true)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL hive_sync(table => 't', target => 'a.b.c')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL hive_sync(table => 't', target => 'a-b')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL hive_sync(table => 't', target => '')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL hive_sync(table => 't', dry_run => NULL)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL hive_sync(table => NULL)

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
CALL hive_sync(table => 'nowhere')

query
DESCRIBE PROCEDURE hive_sync
