-- Hand: Delta takes other columns and types, and has no keys
-- CREATE OR REPLACE TABLE and REPLACE TABLE: the rows go, the history stays.
statement
CREATE OR REPLACE TABLE t (id INT, v STRING COMMENT 'text', p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 COMMENT 'first' TBLPROPERTIES (preCombineField = 'v', team = 'north', old = 'yes')

statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'y')

query
SELECT instant, operation, action FROM t.history

-- The same statement again: one replacecommit.
statement
CREATE OR REPLACE TABLE t (id INT, v STRING COMMENT 'text', p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 COMMENT 'first' TBLPROPERTIES (preCombineField = 'v', team = 'north', old = 'yes')

query
SELECT * FROM t

query
SELECT instant, operation, action FROM t.history

query
SELECT * FROM t VERSION AS OF '{instant 1 of t}'

-- With rows of a query.
statement
REPLACE TABLE t USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 COMMENT 'first' TBLPROPERTIES (primaryKey = 'id', preCombineField = 'v', team = 'north', old = 'yes') AS SELECT 3 id, 'c' v, 'x' p UNION ALL SELECT 4, 'd', 'z'

query
SELECT * FROM t

-- The query reads the table itself.
statement
CREATE OR REPLACE TABLE t USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 COMMENT 'first' TBLPROPERTIES (primaryKey = 'id', preCombineField = 'v', team = 'north', old = 'yes') AS SELECT id + 10 AS id, upper(v) AS v, p FROM t WHERE id > 3

query
SELECT * FROM t

query
SELECT instant, operation, action FROM t.history

-- Comments and free properties become those of the statement.
statement
CREATE OR REPLACE TABLE t (id INT COMMENT 'the key', v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 COMMENT 'second' TBLPROPERTIES (preCombineField = 'v', team = 'south', fresh = 'yes')

query
DESCRIBE t

query
SHOW TBLPROPERTIES t

query
SELECT * FROM t

statement
REPLACE TABLE t USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id', preCombineField = 'v') AS SELECT 5 id, 'e' v, 'x' p

query
DESCRIBE t

query
SHOW TBLPROPERTIES t

query
SELECT * FROM t

query
EXPLAIN CREATE OR REPLACE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 COMMENT 'third' TBLPROPERTIES (preCombineField = 'v')

-- A query that fails changes nothing, comments included.
statement expect_error(HUDILITE_DUPLICATE_KEY)
REPLACE TABLE t USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 COMMENT 'fourth' TBLPROPERTIES (primaryKey = 'id', preCombineField = 'v') AS SELECT 5 id, 'e' v, 'x' p UNION ALL SELECT 5, 'f', 'x'

-- Other facts.
statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 4 TBLPROPERTIES (preCombineField = 'v')

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) TBLPROPERTIES (preCombineField = 'v')

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id, p)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 ON (id) TBLPROPERTIES (preCombineField = 'v')

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'v')

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'v', type = 'mor')

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'v', 'hudilite.index.global' = 'true')

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'v', 'hoodie.clean.automatic' = 'true')

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 LOCATION '{folder}/elsewhere' TBLPROPERTIES (preCombineField = 'v')

-- Other columns: what ALTER TABLE can change, and what it cannot.
statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, v STRING, p STRING, n INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'v')

statement
ALTER TABLE t ADD COLUMNS (n INT, other DATE)

statement
CREATE OR REPLACE TABLE t (id INT, v STRING, p STRING, n INT, other DATE, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'v')

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, v STRING, p STRING, n INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'v')

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, v STRING, p STRING, n BIGINT, other DATE, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'v')

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id BIGINT, v STRING, p STRING, n INT, other DATE, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'v')

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, p STRING, v STRING, n INT, other DATE, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'v')

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, v STRING, p STRING, n INT NOT NULL, other DATE, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'v')

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t (id INT, v STRING, p STRING, n INT DEFAULT 7, other DATE, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'v')

statement expect_error(HUDILITE_REPLACE_DIFFERS)
REPLACE TABLE t USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id', preCombineField = 'v') AS SELECT 5L id, 'e' v, 'x' p, 1 n, DATE'2024-01-01' other

-- What CREATE TABLE refuses, a replacement refuses too.
statement expect_error(HUDILITE_KEY_NOT_DECLARED)
REPLACE TABLE t USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 AS SELECT 5 id, 'e' v, 'x' p

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
REPLACE TABLE t USING hudilite PARTITIONED BY (nope) WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id') AS SELECT 5 id, 'e' v, 'x' p

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
REPLACE TABLE t USING hudilite

statement expect_error(TABLE_OR_VIEW_NOT_FOUND)
REPLACE TABLE missing (id INT, PRIMARY KEY (id)) USING hudilite

statement expect_error(TABLE_OR_VIEW_NOT_FOUND)
REPLACE TABLE missing USING hudilite TBLPROPERTIES (primaryKey = 'id') AS SELECT 1 id

-- Without buckets and partitions; a query without rows; NOT NULL and defaults of the table stay.
statement
CREATE OR REPLACE TABLE b (id BIGINT, v STRING NOT NULL DEFAULT 'none', PRIMARY KEY (id)) USING hudilite

statement
INSERT INTO b (id) VALUES (1), (2)

statement
CREATE OR REPLACE TABLE b USING hudilite TBLPROPERTIES (primaryKey = 'id') AS SELECT id, concat(v, id) AS v FROM b WHERE id = 2

query
SELECT * FROM b

statement expect_error(HUDILITE_NULL_VALUE)
CREATE OR REPLACE TABLE b USING hudilite TBLPROPERTIES (primaryKey = 'id') AS SELECT 3L id, CAST(NULL AS STRING) v

statement
CREATE OR REPLACE TABLE b USING hudilite TBLPROPERTIES (primaryKey = 'id') AS SELECT id, v FROM b WHERE false

query
SELECT * FROM b

statement
INSERT INTO b (id) VALUES (4)

query
SELECT * FROM b

-- Merge-on-read, with log files; keys of all partitions.
statement
CREATE TABLE m (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1 TBLPROPERTIES (type = 'mor', 'hudilite.index.global' = 'true')

statement
INSERT INTO m VALUES (1, 'a', 'x'), (2, 'b', 'x')

statement
UPDATE m SET v = 'b2' WHERE id = 2

statement
REPLACE TABLE m USING hudilite PARTITIONED BY (p) WITH BUCKETS 1 TBLPROPERTIES (primaryKey = 'id', type = 'mor', 'hudilite.index.global' = 'true') AS SELECT id, v, 'y' AS p FROM m

query
SELECT * FROM m

statement
UPDATE m SET v = 'b3' WHERE id = 2

statement
REPLACE TABLE m (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1 TBLPROPERTIES (type = 'mor', 'hudilite.index.global' = 'true')

query
SELECT * FROM m

query
SELECT * FROM m VERSION AS OF '{instant 4 of m}'

-- An external table keeps its place.
statement
CREATE TABLE e (id INT, PRIMARY KEY (id)) USING hudilite LOCATION '{folder}/e'

statement
INSERT INTO e VALUES (1)

statement
CREATE OR REPLACE TABLE e USING hudilite LOCATION '{folder}/e' TBLPROPERTIES (primaryKey = 'id') AS SELECT 2 id

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE e USING hudilite LOCATION '{folder}/e' TBLPROPERTIES (primaryKey = 'id') AS SELECT 2L id

statement
REPLACE TABLE e USING hudilite TBLPROPERTIES (primaryKey = 'id') AS SELECT 3 id

query
SELECT * FROM e

-- By path: no catalog entry has comments or properties of it.
statement
REPLACE TABLE hudilite.`{folder}/e` USING hudilite TBLPROPERTIES (primaryKey = 'id') AS SELECT 4 id

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
REPLACE TABLE hudilite.`{folder}/e` USING hudilite COMMENT 'by path' TBLPROPERTIES (primaryKey = 'id') AS SELECT 5 id

query
SELECT * FROM e
