-- Hand: errors only
-- What a table without buckets does not take.
statement
CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)

statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'y')

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

-- Sizes of files: a word that is none, and a table with buckets.
statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE s (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.parquet.max.file.size' = 'much')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE s (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.parquet.max.file.size' = '0')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
ALTER TABLE b SET TBLPROPERTIES ('hoodie.parquet.small.file.limit' = '-1')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE s (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES ('hoodie.parquet.max.file.size' = '64m')

statement
CREATE TABLE s (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
ALTER TABLE s SET TBLPROPERTIES ('hoodie.parquet.small.file.limit' = '64m')

query
SHOW TBLPROPERTIES s

query
SHOW TBLPROPERTIES b
