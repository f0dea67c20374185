-- Faults: F87
-- A setting of the session under one of Hudi's names may repeat a fact, but not contradict it.
statement
CREATE TABLE t (id INT, k INT, ts INT, p STRING, PRIMARY KEY (id, k)) USING hudilite WITH BUCKETS 4 ON (id) PARTITIONED BY (p) TBLPROPERTIES (preCombineField = 'ts')

statement
SET hoodie.bucket.index.num.buckets = 4

statement
SET hoodie.datasource.write.recordkey.field = id,k

statement
INSERT INTO t VALUES (1, 1, 1, 'a')

statement
SET hoodie.bucket.index.num.buckets = 8

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
INSERT INTO t VALUES (2, 1, 1, 'a')

statement
RESET hoodie.bucket.index.num.buckets

statement
SET hoodie.datasource.write.recordkey.field = id

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
INSERT INTO t VALUES (2, 1, 1, 'a')

statement
RESET hoodie.datasource.write.recordkey.field

statement
SET hoodie.bucket.index.hash.field = k

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
INSERT INTO t VALUES (2, 1, 1, 'a')

statement
RESET hoodie.bucket.index.hash.field

statement
SET hoodie.datasource.write.precombine.field = k

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
INSERT INTO t VALUES (2, 1, 1, 'a')

statement
RESET hoodie.datasource.write.precombine.field

statement
SET hoodie.index.type = BLOOM

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
INSERT INTO t VALUES (2, 1, 1, 'a')

statement
RESET hoodie.index.type

query
SELECT * FROM t
