-- Hand: a property of Parquet's files
-- Columns for which each row group has a bloom filter.
statement
CREATE TABLE t (id INT, v STRING, n DECIMAL(20, 0), x DOUBLE, s STRUCT<a: INT>, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES ('hudilite.bloom.columns' = 'V, n')

statement
INSERT INTO t SELECT id, md5(CAST(id AS STRING)), id * 7, id, named_struct('a', id) FROM range(50)

query
SELECT id FROM t WHERE v = md5('17')

query
SELECT id FROM t WHERE v = 'none' OR n = 14

query
SELECT id FROM t WHERE n = 15

statement
MERGE INTO t USING (SELECT 3 id, 'new' v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v

query
SELECT id FROM t WHERE v = 'new'

query
SELECT id FROM t WHERE v = md5('3')

query
CALL verify(table => 't', level => 'rows')

query
SHOW TBLPROPERTIES t

query
SHOW CREATE TABLE t

-- Columns that the property names stay as they are.
statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t DROP COLUMN v

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t RENAME COLUMN n TO m

statement
ALTER TABLE t SET TBLPROPERTIES ('hudilite.bloom.columns' = 'id')

statement
ALTER TABLE t DROP COLUMN v

statement
ALTER TABLE t UNSET TBLPROPERTIES ('hudilite.bloom.columns')

query
SHOW TBLPROPERTIES t

query
SELECT count(*), sum(n) FROM t

-- Columns that cannot have one.
statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
ALTER TABLE t SET TBLPROPERTIES ('hudilite.bloom.columns' = 'n, y')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
ALTER TABLE t SET TBLPROPERTIES ('hudilite.bloom.columns' = 'x')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
ALTER TABLE t SET TBLPROPERTIES ('hudilite.bloom.columns' = 's')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
ALTER TABLE t SET TBLPROPERTIES ('hudilite.bloom.columns' = 's.a')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
ALTER TABLE t SET TBLPROPERTIES ('hudilite.bloom.columns' = ' ')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE u (id INT, v BOOLEAN, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hudilite.bloom.columns' = 'v')

-- A new table with the facts of another one, and one of a query.
statement
ALTER TABLE t SET TBLPROPERTIES ('hudilite.bloom.columns' = 'n')

statement
CREATE TABLE l LIKE t

query
SHOW TBLPROPERTIES l

statement
CREATE TABLE c USING hudilite TBLPROPERTIES (primaryKey = 'id', 'hudilite.bloom.columns' = 'n') AS SELECT * FROM t

query
SELECT id FROM c WHERE n = 21
