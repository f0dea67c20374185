-- Hand: Delta has no keys
-- Keys in REPLACE WHERE with a condition on any columns.
statement
CREATE TABLE t (id INT, v STRING, ts INT, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'ts')

statement
INSERT INTO t VALUES (1, 'a', 5, 'x'), (2, 'b', 5, 'x'), (3, 'c', 5, 'y')

-- A row that stays keeps its key; the keys of the new rows differ from each other.
statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t REPLACE WHERE v = 'a' VALUES (2, 'a', 6, 'x')

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t REPLACE WHERE v = 'a' VALUES (4, 'a', 6, 'x'), (4, 'a', 7, 'x')

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t REPLACE WHERE v = 'a' VALUES (1, 'a', 6, 'x'), (1, 'a', 7, 'x')

statement expect_error(HUDILITE_NULL_KEY)
INSERT INTO t REPLACE WHERE v = 'a' VALUES (NULL, 'a', 6, 'x')

statement
SET spark.hudilite.insert.duplicates = update

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t REPLACE WHERE v = 'a' VALUES (2, 'a', 6, 'x')

query
SELECT * FROM t

-- A key of another partition is another key. A row that goes has no say: its ordering value may be greater.
statement
INSERT INTO t REPLACE WHERE v = 'a' VALUES (1, 'a', 1, 'x'), (3, 'a', 1, 'x')

query
SELECT * FROM t

query
SELECT operation, action, rows_inserted, rows_updated, rows_deleted FROM t.history

query
EXPLAIN INSERT INTO t REPLACE WHERE v = 'a' VALUES (1, 'a', 1, 'x')

-- What no task can evaluate.
statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
INSERT INTO t REPLACE WHERE rand() < 2 VALUES (1, 'a', 1, 'x')

statement expect_error(UNSUPPORTED_FEATURE.OVERWRITE_BY_SUBQUERY)
INSERT INTO t REPLACE WHERE id IN (SELECT id FROM t) VALUES (1, 'a', 1, 'x')

-- Keys of all partitions: a row may move to another one.
statement
CREATE TABLE g (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES ('hudilite.index.global' = 'true')

statement
INSERT INTO g VALUES (1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y')

statement
INSERT INTO g REPLACE WHERE v < 'c' VALUES (1, 'a2', 'y'), (4, 'b2', 'x')

query
SELECT * FROM g

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO g REPLACE WHERE v < 'c' VALUES (3, 'a3', 'x')

-- The same with the global bloom index.
statement
CREATE TABLE h (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) TBLPROPERTIES ('hoodie.index.type' = 'GLOBAL_BLOOM')

statement
INSERT INTO h VALUES (1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y')

statement
INSERT INTO h REPLACE WHERE v < 'c' VALUES (1, 'a2', 'y'), (4, 'b2', 'x')

query
SELECT * FROM h

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO h REPLACE WHERE v < 'c' VALUES (3, 'a3', 'x')

-- Null and the empty text share a folder.
statement
CREATE TABLE f (id INT, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1

statement
INSERT INTO f VALUES (1, NULL), (2, ''), (3, 'x')

statement
INSERT INTO f REPLACE WHERE p IS NULL VALUES (4, NULL), (1, NULL)

query
SELECT * FROM f

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO f REPLACE WHERE p IS NULL VALUES (2, NULL)
