-- Config: spark.hudilite.write.rowGroupRows=3
-- Twenty files, of which each has other values. Filters on columns that are neither key nor partition skip
-- files by their statistics; the rows are those of a table whose files are all read.
statement
CREATE TABLE t (id BIGINT, p INT, i INT, l BIGINT, sh SMALLINT, f FLOAT, d DOUBLE, n DECIMAL(9, 2), w DECIMAL(38, 4), s STRING, b BINARY, da DATE, ts TIMESTAMP, tn TIMESTAMP_NTZ, bo BOOLEAN, st STRUCT<a: INT, b: STRING>, PRIMARY KEY (id, p)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1

statement
INSERT INTO t SELECT id, CAST(id div 5 AS INT), CAST(if(id % 5 = 0, NULL, id) AS INT), id * 10000000000, CAST(id AS SMALLINT), CAST(CASE WHEN id < 5 THEN 'NaN' WHEN id < 10 THEN '-0.0' WHEN id < 15 THEN '0.0' WHEN id < 20 THEN '-Infinity' ELSE CAST(id AS STRING) END AS FLOAT), CAST(CASE WHEN id % 5 = 4 AND id < 10 THEN 'NaN' WHEN id < 15 THEN '-0.0' WHEN id < 20 THEN '0.0' ELSE CAST(-id AS STRING) END AS DOUBLE), CAST((id - 50) / 4 AS DECIMAL(9, 2)), CAST(CAST(id AS DECIMAL(16, 0)) * 1000000000000000000000 AS DECIMAL(38, 4)), concat(repeat('é', 50), lpad(CAST(id AS STRING), 3, '0'), if(id % 5 = 1, NULL, '')), CAST(concat(CASE WHEN id >= 50 THEN 'ÿ' ELSE '' END, CAST(id AS STRING)) AS BINARY), date_add(DATE '1582-10-01', CAST(id AS INT)), timestamp_seconds(id * 86400 - 4000000), TIMESTAMP_NTZ '1899-12-31 23:59:59' + make_dt_interval(CAST(id AS INT)), id >= 50, if(id % 5 = 2, NULL, named_struct('a', CAST(id AS INT), 'b', concat('b', CAST(id AS STRING)))) FROM range(100)

query
SELECT id FROM t WHERE i = 42

query
SELECT id FROM t WHERE i IN (7, 42, 91) AND l > 80000000000

query
SELECT id, i FROM t WHERE i IS NULL AND id >= 90

query
SELECT id FROM t WHERE i IS NOT NULL AND i < 3

query
SELECT id FROM t WHERE i <=> NULL AND sh < 6

query
SELECT id FROM t WHERE NOT (i < 97)

query
SELECT id FROM t WHERE i <> 5 AND i < 8

query
SELECT id FROM t WHERE l BETWEEN 410000000000 AND 430000000000 OR sh = 3

query
SELECT id, f FROM t WHERE f = CAST('NaN' AS FLOAT)

query
SELECT id, f FROM t WHERE f > 97

query
SELECT id, f FROM t WHERE f < 0

query
SELECT id, f FROM t WHERE f < 30 AND f > 25

query
SELECT id, d FROM t WHERE d = CAST('NaN' AS DOUBLE)

query
SELECT id, d FROM t WHERE d > 0

query
SELECT id, d FROM t WHERE d < -97

query
SELECT id, n FROM t WHERE n = 2.25

query
SELECT id, n FROM t WHERE n < -12

query
SELECT id, w FROM t WHERE w = 42000000000000000000000

query
SELECT id FROM t WHERE s = concat(repeat('é', 50), '042')

query
SELECT id FROM t WHERE s LIKE 'é%098'

query
SELECT id FROM t WHERE s > concat(repeat('é', 50), '097')

query
SELECT id FROM t WHERE s IS NULL AND i > 90

query
SELECT id FROM t WHERE startswith(s, concat(repeat('é', 50), '01'))

query
SELECT id FROM t WHERE b = CAST('ÿ77' AS BINARY)

query
SELECT id FROM t WHERE b > CAST('ÿ97' AS BINARY)

query
SELECT id, da FROM t WHERE da < DATE '1582-10-17'

query
SELECT id, da FROM t WHERE da = DATE '1582-12-01'

query
SELECT id FROM t WHERE ts >= timestamp_seconds(98 * 86400 - 4000000)

query
SELECT id, tn FROM t WHERE tn = TIMESTAMP_NTZ '1900-01-01 23:59:59'

query
SELECT count(*) FROM t WHERE bo

query
SELECT id FROM t WHERE NOT bo AND sh > 47

query
SELECT id, st FROM t WHERE st.a = 58

query
SELECT id FROM t WHERE st.b = 'b13'

query
SELECT id FROM t WHERE st IS NULL AND i > 95

-- The filter of a query is also one of a statement that writes.
statement
UPDATE t SET s = 'changed' WHERE i = 42

statement
DELETE FROM t WHERE n > 11.5

query
SELECT id, s FROM t WHERE s = 'changed'

query
SELECT count(*), max(id) FROM t WHERE id >= 80 AND sh > 0

-- A column that older files do not have.
statement
ALTER TABLE t ADD COLUMN x INT

statement
INSERT INTO t (id, p, i, x) VALUES (200, 0, 1, 7), (201, 30, 2, NULL)

query
SELECT id FROM t WHERE x = 7

query
SELECT count(*) FROM t WHERE x IS NULL

query
SELECT id FROM t WHERE x IS NULL AND i = 2
