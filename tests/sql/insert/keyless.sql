-- INSERT, INSERT OVERWRITE and REPLACE WHERE of a table without a key: equal rows are no duplicates.
statement
CREATE TABLE t (id INT, v STRING, p STRING) USING hudilite PARTITIONED BY (p)

statement
INSERT INTO t VALUES (1, 'a', 'x'), (1, 'a', 'x'), (2, 'b', 'y'), (NULL, NULL, 'y')

statement
INSERT INTO t SELECT * FROM t

query
SELECT * FROM t

statement
INSERT OVERWRITE t PARTITION (p = 'y') VALUES (2, 'over'), (2, 'over')

query
SELECT * FROM t

statement
INSERT INTO t REPLACE WHERE id = 1 VALUES (1, 'new', 'x'), (1, 'new', 'z')

query
SELECT * FROM t

statement
INSERT OVERWRITE t SELECT id + 1, v, p FROM t

query
SELECT * FROM t

statement
TRUNCATE TABLE t

statement
INSERT INTO t (p, id) VALUES ('x', 7)

query
SELECT * FROM t

statement
CREATE TABLE m (id INT, v STRING, p STRING) USING hudilite PARTITIONED BY (p) TBLPROPERTIES (type = 'mor')

statement
INSERT INTO m VALUES (1, 'a', 'x'), (1, 'a', 'x'), (2, 'b', 'y')

statement
INSERT INTO m SELECT id, v, p FROM m

statement
INSERT OVERWRITE m PARTITION (p = 'y') VALUES (2, 'over'), (2, 'over')

query
SELECT * FROM m

statement
INSERT INTO m REPLACE WHERE id = 1 VALUES (1, 'new', 'x')

query
SELECT * FROM m
