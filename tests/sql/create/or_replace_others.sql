-- Hand: Delta has no keys and no bootstrap
statement
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite

statement
INSERT INTO t VALUES (1)

-- Tables of other formats are not dropped, and do not take the place of one of hudilite.
statement
CREATE TABLE plain (id INT) USING parquet

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
CREATE OR REPLACE TABLE plain (id INT, PRIMARY KEY (id)) USING hudilite

statement
CREATE VIEW seen AS SELECT 1 AS id

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
CREATE OR REPLACE TABLE seen (id INT, PRIMARY KEY (id)) USING hudilite

statement expect_error(UNSUPPORTED_FEATURE.TABLE_OPERATION)
CREATE OR REPLACE TABLE t USING parquet AS SELECT 1 id

query
SELECT * FROM t

-- Over existing files that a bootstrap adopted.
statement
CREATE TABLE src (id INT, v STRING, p STRING) USING parquet PARTITIONED BY (p) LOCATION '{folder}/source'

statement
INSERT INTO src VALUES (1, 'a', 'x'), (2, 'b', 'y')

statement
CALL bootstrap('adopted', '{folder}/source', 'id')

statement
CREATE OR REPLACE TABLE adopted USING hudilite PARTITIONED BY (p) TBLPROPERTIES (primaryKey = 'id') AS SELECT id, upper(v) AS v, p FROM adopted WHERE id = 2

query
SELECT * FROM adopted

query
SELECT action, operation FROM adopted.history

query
SELECT * FROM src
