-- Hand: what DESCRIBE and SHOW say of a hudilite table
statement
CREATE TABLE t (id BIGINT COMMENT 'the key', k STRING, v DECIMAL(10,2) DEFAULT 1.50, ts TIMESTAMP, p DATE, q STRING, PRIMARY KEY (k, id)) USING hudilite WITH BUCKETS 4 ON (id) PARTITIONED BY (p, q) COMMENT 'it''s a table' TBLPROPERTIES (preCombineField = 'ts', 'free name' = 'a "quoted" one')

query
DESCRIBE t

query
DESCRIBE EXTENDED t

query
DESCRIBE t id

query
SHOW COLUMNS IN t

query
SHOW TBLPROPERTIES t

query
SHOW TBLPROPERTIES t ('hoodie.bucket.index.num.buckets')

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
SHOW CREATE TABLE t AS SERDE

query
SHOW PARTITIONS t

statement
INSERT INTO t VALUES (1, 'a', 1, NULL, DATE'2024-01-02', 'x/y'), (2, 'a', DEFAULT, NULL, DATE'2024-01-02', NULL), (3, 'a', 1, NULL, NULL, 'z'), (4, 'a', 1, NULL, DATE'2023-12-31', 'z')

query
SHOW PARTITIONS t

query
SHOW PARTITIONS t PARTITION (p = DATE'2024-01-02')

query
SHOW PARTITIONS t PARTITION (P = '2024-01-02', q = 'x/y')

query
SHOW PARTITIONS t PARTITION (q = NULL)

query
SHOW PARTITIONS t PARTITION (q = 'nowhere')

statement
SET spark.sql.ansi.enabled = false

query expect_error(CAST_INVALID_INPUT)
SHOW PARTITIONS t PARTITION (p = 'no day')

statement
RESET spark.sql.ansi.enabled

query expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
SHOW PARTITIONS t PARTITION (id = 1)

statement
CREATE TABLE flat (id BIGINT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
SHOW PARTITIONS flat

query
SHOW CREATE TABLE flat

query
DESCRIBE EXTENDED flat
