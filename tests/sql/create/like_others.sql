-- Hand: Delta has no keys
-- CREATE TABLE LIKE of another format, and of a hudilite table in another format.
statement
CREATE TABLE g (id BIGINT, p STRING, extra INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)

statement
CREATE TABLE plain (id INT, p STRING) USING parquet

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
CREATE TABLE j LIKE plain USING hudilite

statement
CREATE TABLE k LIKE plain

statement
CREATE TABLE l LIKE g USING parquet TBLPROPERTIES (team = 'west')

query
DESCRIBE l

statement
INSERT INTO l VALUES (1, 2, 'x')

query
SELECT * FROM l

-- A temporary view of the same name comes first, as in Spark.
statement
CREATE TEMPORARY VIEW g AS SELECT 1 only

statement
CREATE TABLE n LIKE g USING parquet

query
DESCRIBE n

query
SHOW TABLES
