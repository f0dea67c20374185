-- Hand: Delta stores '' in a partition column as null
statement
CREATE TABLE t (id INT, v STRING, day DATE, region STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (day, region) WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a', DATE'2024-01-01', 'eu'), (2, 'b', DATE'2024-01-02', 'eu'), (3, 'c', DATE'2024-01-02', 'us'), (4, 'd', DATE'2024-02-01', 'us')

-- A predicate that the partition columns decide replaces whole partitions.
statement
INSERT INTO t REPLACE WHERE day >= '2024-01-02' AND day < '2024-02-01' VALUES (5, 'e', DATE'2024-01-02', 'eu'), (6, 'f', DATE'2024-01-31', 'us')

query
SELECT * FROM t

statement
INSERT INTO t REPLACE WHERE region = 'us' SELECT 1, 'x', DATE'2024-01-01', 'eu' WHERE false

query
SELECT * FROM t

-- Rows outside of it are refused.
statement expect_error(HUDILITE_REPLACE_MISMATCH)
INSERT INTO t REPLACE WHERE region = 'eu' VALUES (7, 'g', DATE'2024-01-01', 'us')

-- Other columns need rows to be looked at: replace_where_any.sql.
statement expect_error(HUDILITE_REPLACE_MISMATCH)
INSERT INTO t REPLACE WHERE id = 1 VALUES (2, 'b', DATE'2024-01-01', 'eu')

statement expect_error(UNSUPPORTED_FEATURE.OVERWRITE_BY_SUBQUERY)
INSERT INTO t REPLACE WHERE region IN (SELECT region FROM t) VALUES (1, 'b', DATE'2024-01-01', 'eu')

statement expect_error(UNRESOLVED_COLUMN.WITH_SUGGESTION)
INSERT INTO t REPLACE WHERE nope = 1 VALUES (1, 'b', DATE'2024-01-01', 'eu')

-- Null and the empty text share a folder: what tells them apart decides no whole partition, but rows.
statement
INSERT INTO t VALUES (8, 'h', DATE'2024-01-01', NULL), (9, 'i', DATE'2024-01-01', '')

statement
INSERT INTO t REPLACE WHERE region IS NULL VALUES (10, 'b', DATE'2024-01-01', NULL)

query
SELECT * FROM t
