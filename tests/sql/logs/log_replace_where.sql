-- Hand: Delta has no keys and no log files
-- REPLACE WHERE with any condition on merge-on-read tables.
statement
CREATE TABLE t (id INT, v STRING, n INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (type = 'mor')

statement
INSERT INTO t SELECT id, concat('v', id % 4), id FROM range(40)

statement
INSERT INTO t REPLACE WHERE v = 'v1' SELECT id, 'v1', -id FROM range(1, 50, 12)

query
SELECT * FROM t WHERE v = 'v1'

query
SELECT count(*), count(DISTINCT id), sum(n) FROM t

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t REPLACE WHERE v = 'v1' VALUES (2, 'v1', 0)

statement expect_error(HUDILITE_REPLACE_MISMATCH)
INSERT INTO t REPLACE WHERE v = 'v1' VALUES (1, 'v2', 0)

-- A second one, over the log files of the first.
statement
INSERT INTO t REPLACE WHERE n < 0 VALUES (1, 'again', -7)

query
SELECT * FROM t WHERE n < 0

query
SELECT count(*) FROM t

-- Readers of log files compare ordering values: a new row may have a lower one than the row that goes.
statement
CREATE TABLE o (id INT, v STRING, ts INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (type = 'mor', preCombineField = 'ts')

statement
INSERT INTO o SELECT id, 'old', 100 FROM range(20)

statement
INSERT INTO o REPLACE WHERE id < 3 VALUES (1, 'lower', 1), (2, 'higher', 200)

query
SELECT * FROM o WHERE id < 5

query
SELECT count(*) FROM o

-- Without buckets.
statement
CREATE TABLE b (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) TBLPROPERTIES (type = 'mor')

statement
INSERT INTO b SELECT id, concat('v', id % 4), concat('p', id % 2) FROM range(20)

statement
INSERT INTO b REPLACE WHERE v = 'v1' AND id > 4 VALUES (5, 'v1', 'p1'), (100, 'v1', 'p1'), (101, 'v1', 'p9')

query
SELECT * FROM b WHERE v = 'v1'

query
SELECT count(*) FROM b
