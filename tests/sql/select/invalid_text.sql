-- Hand: Spark's own Parquet reader looks for other bytes, so Delta misses the row
-- Bytes that are not valid UTF-8 are found by a comparison with them.
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO t VALUES (1, CAST(X'FF' AS STRING))

query
SELECT id FROM t WHERE v = CAST(X'FF' AS STRING)

statement
DELETE FROM t WHERE v IN (CAST(X'FF' AS STRING), CAST(X'FE' AS STRING))

query
SELECT count(*) FROM t
