-- Hand: versions are commit numbers, which Delta counts from 0
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

query expect_error(HUDILITE_VERSION_NOT_FOUND)
RESTORE TABLE t TO VERSION AS OF 1

-- 1
statement
INSERT INTO t VALUES (1, 'a')

-- 2
statement
INSERT INTO t VALUES (2, 'b')

-- 3
statement
UPDATE t SET v = 'c'

-- 4
statement
DELETE FROM t

query
SELECT * FROM t VERSION AS OF 3 ORDER BY id

query
SELECT * FROM t VERSION AS OF '2' ORDER BY id

query
SELECT * FROM t FOR SYSTEM_VERSION AS OF 1

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM t VERSION AS OF 0

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM t VERSION AS OF 5

query
RESTORE TABLE t TO VERSION AS OF 3

query
SELECT * FROM t ORDER BY id

query
RESTORE t VERSION AS OF '{instant 2 of t}'

query
SELECT * FROM t ORDER BY id

-- The restores have numbers, too, and no rows.
query
DESCRIBE HISTORY t

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM t VERSION AS OF 3

query expect_error(HUDILITE_VERSION_NOT_FOUND)
RESTORE TABLE t TO TIMESTAMP AS OF '2024-01-01'

query expect_error(HUDILITE_VERSION_NOT_FOUND)
RESTORE TABLE t TO TIMESTAMP AS OF 'yesterday'

query expect_error(HUDILITE_VERSION_NOT_FOUND)
RESTORE TABLE t TO VERSION AS OF 'a_tag'

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
RESTORE TABLE t TO YESTERDAY

-- 7
statement
INSERT INTO t VALUES (7, 'g')

query
SELECT * FROM t VERSION AS OF 2 ORDER BY id

query
CALL verify(table => 't', level => 'rows')
