-- Hand: errors only
-- What a table without buckets does not take.
statement
CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)

statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'y')

statement expect_error(HUDILITE_KEY_NOT_DECLARED)
CREATE TABLE k (id INT) USING hudilite

statement
SET hoodie.bloom.index.prune.by.ranges = maybe

statement expect_error(HUDILITE_SETTING_INVALID)
INSERT INTO t VALUES (3, 'a', 'z')

statement
RESET hoodie.bloom.index.prune.by.ranges

statement
SET hoodie.parquet.max.file.size = much

statement expect_error(HUDILITE_SETTING_INVALID)
INSERT INTO t VALUES (3, 'a', 'z')

statement
RESET hoodie.parquet.max.file.size

query
SELECT * FROM t ORDER BY id

statement
CREATE TABLE b (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.index.type' = 'BLOOM')

query
SHOW CREATE TABLE b
