-- Faults: F50
-- Hand: procedures are hudilite's own
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO t VALUES (1, 'a')

query
CALL remove_orphans(table => 't')

query
CALL remove_orphans(table => 't', dry_run => false)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL remove_orphans(table => 't', older_than_hours => 0)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL remove_orphans(table => 't', dry_run => NULL)

query
SELECT * FROM t

query
DESCRIBE PROCEDURE remove_orphans
