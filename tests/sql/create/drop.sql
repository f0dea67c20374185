-- Faults: F12
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a'), (2, 'b')

statement
DROP TABLE t

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
SELECT * FROM t

-- The data went with the table: the name and its place can be used again.
statement
CREATE TABLE t (k STRING, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 3

query
SELECT * FROM t

statement
DROP TABLE t

statement
DROP TABLE IF EXISTS t

statement expect_error(TABLE_OR_VIEW_NOT_FOUND)
DROP TABLE t

-- A table at a LOCATION of its own keeps its files.
statement
CREATE TABLE placed (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 LOCATION '{folder}/placed'

statement
INSERT INTO placed VALUES (1)

statement
DROP TABLE placed

query
SELECT count(*) FROM parquet.`{folder}/placed/*.parquet`
