-- Faults: F88
-- Hand: procedures are hudilite's own
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO t VALUES (1, 'a')

query
DESCRIBE PROCEDURE rollback

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rollback(table => 't', instant => '20200101000000000')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rollback(table => 't', instant => NULL)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rollback(table => NULL, instant => '20200101000000000')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rollback('t', 'x''; DROP TABLE t; --')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL rollback('t', repeat('1', 1048576))

query
SELECT * FROM t
