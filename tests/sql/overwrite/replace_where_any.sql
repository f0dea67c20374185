-- REPLACE WHERE with a condition on any columns: rows go and come in one commit.
statement
CREATE TABLE t (id INT, v STRING, n INT, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a', 10, 'x'), (2, 'b', 20, 'x'), (3, 'c', 30, 'y'), (4, 'd', 40, 'y'), (5, 'e', NULL, 'y')

-- A new key, and one that goes.
statement
INSERT INTO t REPLACE WHERE n >= 20 AND n < 40 VALUES (2, 'new', 25, 'x'), (6, 'f', 30, 'z')

query
SELECT * FROM t

-- Without rows it is a DELETE. NULL is not true: such rows stay.
statement
INSERT INTO t REPLACE WHERE n <> 25 SELECT 1, 'x', 1, 'x' WHERE false

query
SELECT * FROM t

-- Rows that do not fulfill it, also because it is NULL.
statement expect_error(HUDILITE_REPLACE_MISMATCH)
INSERT INTO t REPLACE WHERE n > 20 VALUES (7, 'g', 21, 'x'), (8, 'h', 20, 'x')

statement expect_error(HUDILITE_REPLACE_MISMATCH)
INSERT INTO t REPLACE WHERE n > 20 VALUES (7, 'g', NULL, 'x')

query
SELECT * FROM t

-- With a partition column, expressions, a column list and BY NAME.
statement
INSERT INTO t REPLACE WHERE p = 'x' AND length(v) BETWEEN 1 AND 5 VALUES (9, 'i', 90, 'x')

query
SELECT * FROM t

statement
INSERT INTO t REPLACE WHERE v IN ('i', 'j') OR n IS NULL SELECT id + 1, 'j', n, p FROM t WHERE v = 'i'

query
SELECT * FROM t

-- The query reads the table itself.
statement
INSERT INTO t REPLACE WHERE id = 10 SELECT id, v, n + 1, p FROM t WHERE id = 10

query
SELECT * FROM t

-- Of a table without partitions and without buckets.
statement
CREATE TABLE b (id INT, v STRING, PRIMARY KEY (id)) USING hudilite

statement
INSERT INTO b SELECT id, concat('v', id % 3) FROM range(12)

statement
INSERT INTO b REPLACE WHERE v = 'v1' SELECT id, 'v1' FROM range(1, 40, 12)

query
SELECT * FROM b

statement
INSERT INTO b REPLACE WHERE id = 0 VALUES (0, 'zero')

query
SELECT * FROM b WHERE id < 3
