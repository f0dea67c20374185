-- Faults: F77
-- Hand: Delta has no keys
-- What INSERT INTO does with a key that the table holds is for the session to say.
statement
CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'x', 'a'), (2, 'x', 'b')

statement
SET spark.hudilite.insert.duplicates = ERROR

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (1, 'x', 'again'), (3, 'x', 'c')

statement
SET spark.hudilite.insert.duplicates = update

statement
INSERT INTO t VALUES (1, 'x', 'updated'), (3, 'x', 'c')

-- In another partition it is another row.
statement
INSERT INTO t VALUES (1, 'y', 'other')

query
SELECT * FROM t ORDER BY id, p

-- Of two source rows nothing says which counts.
statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (1, 'x', 'one'), (1, 'x', 'two')

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (7, 'x', 'one'), (7, 'x', 'two')

statement
SET spark.hudilite.insert.duplicates = keep

statement
INSERT INTO t VALUES (1, 'x', 'not taken'), (4, 'x', 'd')

statement
INSERT INTO t SELECT 2, 'x', 'not taken either'

query
SELECT * FROM t ORDER BY id, p

statement
SET spark.hudilite.insert.duplicates = replace

statement expect_error(HUDILITE_SETTING_INVALID)
INSERT INTO t VALUES (5, 'x', 'e')
