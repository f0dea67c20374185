-- Config: spark.sql.sources.partitionOverwriteMode=dynamic
statement
CREATE TABLE t (id INT, v STRING, p STRING, q INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p, q) WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a', 'x', 1), (2, 'b', 'x', 2), (3, 'c', 'y', 1), (4, 'd', 'y', 2)

-- The partitions that rows go to are replaced, no other.
statement
INSERT OVERWRITE t VALUES (5, 'e', 'x', 1), (6, 'f', 'z', 3)

query
SELECT * FROM t

-- A static value narrows nothing but where the rows go.
statement
INSERT OVERWRITE t PARTITION (p = 'y', q) SELECT 7, 'g', 2

query
SELECT * FROM t

statement
INSERT OVERWRITE t PARTITION (q, p = 'y') (id, q) SELECT 8, 1

query
SELECT * FROM t

-- No rows: no partition is replaced, nothing is written.
statement
INSERT OVERWRITE t SELECT * FROM t WHERE false

-- Null and the empty text are one partition.
statement
INSERT INTO t VALUES (9, 'null', NULL, 1), (10, 'empty', '', 1)

statement
INSERT OVERWRITE t VALUES (11, 'new', NULL, 1)

query
SELECT * FROM t WHERE p IS NULL OR p = ''

-- A table without partitions is replaced as a whole.
statement
CREATE TABLE flat (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO flat VALUES (1), (2)

statement
INSERT OVERWRITE flat VALUES (3)

query
SELECT * FROM flat

query
EXPLAIN INSERT OVERWRITE t VALUES (5, 'e', 'x', 1)
