-- Hand: Delta's tables have no primary key
-- A column that was NOT NULL takes NULL after DROP NOT NULL, in old files and new ones.
statement
CREATE TABLE t (id INT, v STRING NOT NULL, s STRUCT<a: INT NOT NULL>, n INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO t VALUES (1, 'a', named_struct('a', 1), 1), (2, 'b', NULL, 2)

statement expect_error(HUDILITE_NULL_VALUE)
INSERT INTO t VALUES (3, NULL, NULL, 3)

statement expect_error(HUDILITE_NULL_VALUE)
INSERT INTO t VALUES (3, 'c', named_struct('a', CAST(NULL AS INT)), 3)

statement expect_error(HUDILITE_NULL_VALUE)
MERGE INTO t USING (SELECT * FROM VALUES (1, 'A'), (2, NULL) AS s (id, v)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v

statement expect_error(HUDILITE_NULL_VALUE)
UPDATE t SET v = NULLIF(v, 'b')

-- The error contains the values of all key columns.
statement
CREATE TABLE k (id INT, p STRING, v ARRAY<INT> NOT NULL, PRIMARY KEY (id, p)) USING hudilite PARTITIONED BY (p)

statement expect_error(HUDILITE_NULL_VALUE)
INSERT INTO k VALUES (1, 'a', array(1)), (2, 'b', NULL)

query
SELECT * FROM k

statement
ALTER TABLE t ALTER COLUMN v DROP NOT NULL

statement
ALTER TABLE t ALTER COLUMN v DROP NOT NULL

statement
ALTER TABLE t ALTER COLUMN s.a DROP NOT NULL

statement
INSERT INTO t VALUES (3, NULL, named_struct('a', NULL), 3)

statement
UPDATE t SET v = NULL WHERE id = 1

query
SELECT * FROM t

query
SELECT id FROM t WHERE v IS NULL

query
SELECT count(v), max(v), count(*) FROM t

query
SELECT operation, count(*) AS commits FROM t.history GROUP BY operation

query
SELECT id, v, n FROM t VERSION AS OF '{instant 2 of t}'

-- A merge-on-read table of version 9, with values in log files.
statement
CREATE TABLE m (id INT, v STRING NOT NULL, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (type = 'mor', 'hoodie.table.version' = '9')

statement
INSERT INTO m VALUES (1, 'a'), (2, 'b')

statement
UPDATE m SET v = 'B' WHERE id = 2

statement
ALTER TABLE m CHANGE COLUMN v DROP NOT NULL

statement
UPDATE m SET v = NULL WHERE id = 1

query
SELECT * FROM m

statement
CALL compact(table => 'm')

query
SELECT * FROM m

-- The key is never NULL, and SET NOT NULL is a constraint here.
statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t ALTER COLUMN id DROP NOT NULL

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t ALTER COLUMN n SET NOT NULL

statement
ALTER TABLE t ADD CONSTRAINT n_not_null CHECK (n IS NOT NULL)

statement
ALTER TABLE m ALTER COLUMN id SET NOT NULL
