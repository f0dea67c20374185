-- Other tables of the session catalog work as before.
statement
CREATE TABLE p (id INT, v STRING) USING parquet

statement
INSERT INTO p VALUES (1, 'a')

query
SELECT * FROM p

statement
CREATE TABLE bucketed (id INT, v STRING) USING parquet CLUSTERED BY (id) INTO 2 BUCKETS

query
WITH buckets AS (SELECT 1 AS one) SELECT * FROM buckets

statement
CREATE TABLE c USING parquet WITH buckets AS (SELECT 4 AS four) SELECT * FROM buckets

query
SELECT * FROM c

statement expect_error(HUDILITE_BUCKETS_WITHOUT_PROVIDER)
CREATE TABLE q (id INT) USING parquet WITH BUCKETS 4

statement
DROP TABLE p

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
SELECT * FROM p
