statement
CREATE TABLE t (id INT, v STRING, p INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2)

-- The new rows obey the key; the old ones do not matter.
statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT OVERWRITE t VALUES (3, 'x', 1), (3, 'y', 1)

statement expect_error(HUDILITE_NULL_KEY)
INSERT OVERWRITE t PARTITION (p = 1) VALUES (NULL, 'x')

statement expect_error(NON_PARTITION_COLUMN)
INSERT OVERWRITE t PARTITION (v = 'a') VALUES (1, 1)

statement expect_error(CAST_INVALID_INPUT)
INSERT OVERWRITE t PARTITION (p = 'one') VALUES (1, 'x')

statement expect_error(INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS)
INSERT OVERWRITE t PARTITION (p = 1) VALUES (1)

statement expect_error(UNSUPPORTED_FEATURE.INSERT_PARTITION_SPEC_IF_NOT_EXISTS)
INSERT OVERWRITE t PARTITION (p = 1) IF NOT EXISTS VALUES (1, 'x')

statement expect_error(HUDILITE_REPLACE_DIFFERS)
CREATE OR REPLACE TABLE t USING hudilite WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id') AS SELECT 1 id

statement expect_error(HUDILITE_REPLACE_DIFFERS)
REPLACE TABLE t USING hudilite WITH BUCKETS 2 TBLPROPERTIES (primaryKey = 'id') AS SELECT 1 id

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
INSERT OVERWRITE t WITH ('hoodie.bucket.index.num.buckets' = '4') VALUES (1, 'x', 1)

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
INSERT OVERWRITE t WITH (primaryKeys = 'id') VALUES (1, 'x', 1)

-- An option that repeats a fact does no harm. Nothing has been written so far.
statement
INSERT INTO t WITH ('hoodie.bucket.index.num.buckets' = '2', primaryKey = 'id') VALUES (3, 'c', 1)

query
SELECT * FROM t

query
SELECT count(DISTINCT _hoodie_commit_time) FROM t
