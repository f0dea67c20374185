-- Hand: paths of hudilite
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 LOCATION '{folder}/t'

statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'y')

-- A path is the table: with its snapshot, its meta columns and its pruning.
query
SELECT * FROM hudilite.`{folder}/t`

query
SELECT _hoodie_record_key, _hoodie_partition_path, id FROM hudilite.`{folder}/t` WHERE p = 'x'

query
EXPLAIN SELECT * FROM hudilite.`{folder}/t` WHERE p = 'x' AND id = 1

statement
INSERT INTO hudilite.`{folder}/t` VALUES (3, 'c', 'x')

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO hudilite.`{folder}/t` VALUES (3, 'c', 'x')

query
MERGE INTO hudilite.`{folder}/t` AS t USING (SELECT 1 id, 'A' v, 'x' p) s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET *

query
DELETE FROM hudilite.`{folder}/t` WHERE p = 'y'

statement
INSERT OVERWRITE hudilite.`file:{folder}/t` PARTITION (p = 'z') VALUES (9, 'z')

query
SELECT * FROM t

-- A partition, or some of them by a glob.
query
SELECT * FROM hudilite.`{folder}/t/p=x`

query
SELECT * FROM hudilite.`{folder}/t/p=[wz]`

query
SELECT * FROM hudilite.`{folder}/t/*`

query
DESCRIBE hudilite.`{folder}/t`

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
INSERT INTO hudilite.`{folder}/t/p=x` VALUES (3, 'c', 'x')

-- Any other folder is none of the table's.
query expect_error(HUDILITE_PATH_INVALID)
SELECT * FROM hudilite.`{folder}/t/p=y/deeper`

query expect_error(HUDILITE_PATH_INVALID)
SELECT * FROM hudilite.`{folder}/t/nowhere`

query expect_error(HUDILITE_PATH_INVALID)
SELECT * FROM hudilite.`{folder}/t/.hoodie`

query expect_error(HUDILITE_PATH_INVALID)
SELECT * FROM hudilite.`{folder}/nothing`

statement expect_error(HUDILITE_PATH_INVALID)
INSERT INTO hudilite.`{folder}/nothing` VALUES (1)

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
DROP TABLE hudilite.`{folder}/t`

statement
CREATE OR REPLACE TABLE hudilite.`{folder}/renewed` (id INT, PRIMARY KEY (id)) USING hudilite

statement
CREATE OR REPLACE TABLE hudilite.`{folder}/renewed` USING hudilite TBLPROPERTIES (primaryKey = 'id') AS SELECT 2 AS id

query
SELECT * FROM hudilite.`{folder}/renewed`

statement expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM hudilite.`{folder}/t` VERSION AS OF 99

-- A view over a path, and a join of a path with the name.
statement
CREATE TEMPORARY VIEW o USING hudilite OPTIONS (path '{folder}/t')

query
SELECT * FROM o

query
SELECT count(*) FROM t JOIN hudilite.`{folder}/t` USING (id, p)

-- A source that reads a part of the table: the write still replaces all of it.
statement
INSERT INTO t VALUES (20, 'y', 'y')

statement
INSERT OVERWRITE hudilite.`{folder}/t` SELECT * FROM hudilite.`{folder}/t/p=x`

query
SELECT * FROM t
