-- Hand: Delta has no keys
-- CREATE TABLE LIKE: columns and facts of another table, without its rows.
statement
CREATE TABLE t (id INT, v STRING NOT NULL DEFAULT 'none' COMMENT 'text', c CHAR(3), day DATE, s STRUCT<a: INT, b: ARRAY<STRING>>, PRIMARY KEY (id, day)) USING hudilite PARTITIONED BY (day) WITH BUCKETS 2 ON (id) COMMENT 'first' TBLPROPERTIES (preCombineField = 'v', type = 'mor', team = 'north', 'hudilite.index.global' = 'false', 'hoodie.clean.automatic' = 'true')

statement
INSERT INTO t VALUES (1, 'a', 'x', DATE'2024-01-01', NULL)

statement
CREATE TABLE a LIKE t

query
DESCRIBE a

query
SHOW TBLPROPERTIES a

query
SELECT * FROM a

statement
INSERT INTO a (id, day) VALUES (1, DATE'2024-01-01')

query
SELECT * FROM a

query
SELECT count(*) FROM t

-- Clauses.
statement
CREATE TABLE IF NOT EXISTS a LIKE t

statement expect_error(TABLE_OR_VIEW_ALREADY_EXISTS)
CREATE TABLE a LIKE t

statement
CREATE TABLE e LIKE t USING hudilite TBLPROPERTIES (team = 'south', 'hoodie.clean.automatic' = 'false', type = 'MERGE_ON_READ') LOCATION '{folder}/e'

query
SHOW TBLPROPERTIES e

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE f LIKE t TBLPROPERTIES (type = 'cow')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE f LIKE t TBLPROPERTIES ('hoodie.bucket.index.num.buckets' = '4')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE f LIKE t TBLPROPERTIES ('hoodie.unknown' = '4')

-- Without buckets; keys of all partitions.
statement
CREATE TABLE g (id BIGINT, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) TBLPROPERTIES ('hoodie.index.type' = 'GLOBAL_BLOOM', 'hoodie.parquet.max.file.size' = '1000000')

statement
CREATE TABLE h LIKE g

query
SHOW TBLPROPERTIES h

-- Columns that were added later.
statement
ALTER TABLE g ADD COLUMNS (extra INT COMMENT 'later')

statement
CREATE TABLE i LIKE g

query
DESCRIBE i

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
CREATE TABLE m LIKE g STORED AS PARQUET
