-- Hand: Delta truncates no single partition
statement
CREATE TABLE t (id INT, v STRING, p STRING, q INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p, q) WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a', 'x', 1), (2, 'b', 'x', 2), (3, 'c', 'y', 1), (4, 'd', NULL, 1)

query
TRUNCATE TABLE t PARTITION (p = 'x', q = 2)

query
SELECT * FROM t

statement
TRUNCATE TABLE t PARTITION (p = 'x')

query
SELECT * FROM t

statement expect_error(PARTITIONS_NOT_FOUND)
TRUNCATE TABLE t PARTITION (p = 'x')

statement expect_error(NON_PARTITION_COLUMN)
TRUNCATE TABLE t PARTITION (v = 'x')

statement expect_error(CAST_INVALID_INPUT)
TRUNCATE TABLE t PARTITION (q = 'one')

statement
TRUNCATE TABLE t PARTITION (p = null, q = 1)

query
SELECT * FROM t

statement
INSERT INTO t VALUES (1, 'again', 'x', 1)

statement
TRUNCATE TABLE t

query
SELECT * FROM t

-- An empty table stays as it is.
statement
TRUNCATE TABLE t

statement
INSERT INTO t VALUES (1, 'after', 'x', 1)

query
SELECT * FROM t

statement
CREATE TABLE flat (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO flat VALUES (1), (2), (3)

statement
TRUNCATE TABLE flat

query
SELECT * FROM flat
