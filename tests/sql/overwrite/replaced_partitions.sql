-- Hand: Delta stores '' in a partition column as null
-- A condition of REPLACE WHERE is compared with rows, whatever folders have in common.
statement
CREATE TABLE t (id INT, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)

statement
INSERT INTO t VALUES (1, NULL), (2, ''), (3, 'a'), (4, 'b')

statement
INSERT INTO t REPLACE WHERE p <=> NULL SELECT 9, CAST(NULL AS STRING)

query
SELECT * FROM t

statement
INSERT INTO t REPLACE WHERE p <=> 'a' AND p <=> 'b' SELECT 8, 'b' WHERE false

query
SELECT * FROM t

statement
INSERT OVERWRITE t PARTITION (p = NULL) SELECT 5

query
SELECT * FROM t

statement
INSERT OVERWRITE t PARTITION (p = 'a') SELECT 6

query
SELECT * FROM t

-- Expressions that Spark rewrites before it evaluates them.
statement
CREATE TABLE days (id INT, day DATE, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (day)

statement
INSERT INTO days VALUES (1, DATE'2023-05-01'), (2, DATE'2026-05-01')

statement
INSERT INTO days REPLACE WHERE year(day) BETWEEN 2022 AND 2024 VALUES (3, DATE'2023-01-01')

query
SELECT * FROM days

statement
DELETE FROM days WHERE nullif(year(day), 2026) BETWEEN 2022 AND 2024

query
SELECT * FROM days

statement
CREATE TABLE owned (id INT, owner STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (owner)

statement
INSERT INTO owned SELECT 1, 'ann of nowhere' UNION ALL SELECT 2, current_user()

statement
DELETE FROM owned WHERE owner = current_user()

query
SELECT * FROM owned

-- Stock Hudi's settings by which an overwrite keeps partitions are not overlooked.
statement
SET hoodie.datasource.overwrite.mode = dynamic

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
INSERT OVERWRITE t SELECT 7, 'a'

statement
RESET hoodie.datasource.overwrite.mode

statement
SET hoodie.datasource.write.operation = insert_overwrite

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
INSERT OVERWRITE t SELECT 7, 'a'

statement
SET spark.sql.sources.partitionOverwriteMode = dynamic

statement
INSERT OVERWRITE t SELECT 7, 'a'

query
SELECT * FROM t
