-- Config: spark.sql.ansi.enabled=true

statement
CREATE TABLE plain (a INT, b STRING) USING parquet

statement
INSERT INTO plain VALUES (2, 'x'), (1, NULL)

query
SELECT * FROM plain

query
SELECT a, CAST(a AS FLOAT) / 10 f, 0.1D d, -0.0D z, X'00ff' x, DATE'1500-01-01' dd, TIMESTAMP'1969-12-31 23:59:59.5' t, 1.50 de, array(1,2) ar FROM plain ORDER BY a DESC

query expect_error(DIVIDE_BY_ZERO)
SELECT a / 0 FROM plain

statement expect_error(TABLE_OR_VIEW_NOT_FOUND)
INSERT INTO nowhere VALUES (1)

query ignore(12)
SELECT not_built_yet()
