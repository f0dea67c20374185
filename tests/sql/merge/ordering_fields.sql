-- Hand: Delta has no ordering fields
-- Several ordering fields: of two rows with equal values of the first, the second decides.
statement
CREATE TABLE t (id INT, v STRING, a INT, b BIGINT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 TBLPROPERTIES (preCombineField = 'A, b')

statement
INSERT INTO t VALUES (1, 'own', 5, 5), (2, 'own', 5, 5), (3, 'own', 5, 5), (4, 'own', 5, 5), (5, 'own', 5, 5), (6, 'own', 5, NULL), (7, 'own', NULL, 5), (8, 'own', NULL, NULL), (9, 'own', 5, 5), (10, 'own', 5, 5)

-- Null is the smallest value of a field.
query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'equal', 5, 5), (2, 'less in b', 5, 4), (3, 'greater in b', 5, 6), (4, 'less in a', 4, 9), (5, 'greater in a', 6, 1), (6, 'b after null', 5, -1), (7, 'a after null', -1, 0), (8, 'both after null', -1, NULL), (9, 'null a', NULL, 9), (10, 'null b', 5, NULL) AS q(id, v, a, b)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

-- The greatest of several source rows counts.
query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'x', 7, 1), (1, 'win', 7, 2), (1, 'x', 6, 9), (1, 'x', NULL, 99), (20, 'x', 1, NULL), (20, 'win', 1, -9), (21, 'x', NULL, 3), (21, 'win', NULL, 4) AS q(id, v, a, b)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t WHERE v = 'win'

statement expect_error(HUDILITE_MERGE_CARDINALITY)
MERGE INTO t USING (SELECT * FROM VALUES (1, 'x', 9, 9), (1, 'y', 9, 9) AS q(id, v, a, b)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *

-- A source that is joined, with other types and another order of the columns.
query
MERGE INTO t USING (SELECT * FROM VALUES (6L, 5, 'own', 'x'), (4L, 5, 'own', 'less in b'), (5L, 5, 'own', 'equal'), (6L, 4, 'own', 'less in a'), (9L, 5, 'own', 'greatest') AS q(b, a, w, v)) s ON t.v = s.w AND t.id = 2
WHEN MATCHED THEN UPDATE SET v = s.v, a = s.a, b = s.b

query
SELECT * FROM t WHERE id = 2

-- An UPDATE needs all of them in the source.
statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
MERGE INTO t USING (SELECT 1 id, 9 a) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'unordered'

query
MERGE INTO t USING (SELECT 20 id, 0 a) s ON t.id = s.id WHEN MATCHED THEN DELETE

statement
SET spark.hudilite.insert.duplicates = update

statement
INSERT INTO t VALUES (1, 'less', 7, 1), (2, 'more', 5, 10), (30, 'x', 1, 1), (30, 'win', 1, 2)

query
SELECT * FROM t WHERE id IN (1, 2, 30)

statement
RESET spark.hudilite.insert.duplicates

-- Rows that move to another partition of a table without buckets, and keys of the whole table.
statement
CREATE TABLE p (id INT, v STRING, a INT, b DATE, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) TBLPROPERTIES (orderingFields = 'a,b', 'hoodie.index.type' = 'GLOBAL_BLOOM', 'hoodie.write.table.version' = '9')

statement
INSERT INTO p VALUES (1, 'own', 1, DATE'2024-01-01', 'x'), (2, 'own', 1, DATE'2024-01-01', 'y')

query
MERGE INTO p USING (SELECT * FROM VALUES (1, 'less', 1, DATE'2023-12-31', 'z'), (2, 'less', 1, DATE'2024-01-02', 'z'), (2, 'win', 1, DATE'2024-01-03', 'x'), (3, 'x', 1, NULL, 'x'), (3, 'win', 1, DATE'1970-01-01', 'y') AS q(id, v, a, b, p)) s ON p.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM p

-- They cannot be dropped, and a session cannot name others.
statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE t DROP COLUMN b

statement
SET hoodie.datasource.write.precombine.field = a, b

query
DELETE FROM t WHERE id > 1

statement
SET hoodie.datasource.write.precombine.field = b,a

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
DELETE FROM t WHERE id = 1

statement
RESET hoodie.datasource.write.precombine.field

query
SHOW TBLPROPERTIES p

-- A table that is adopted keeps its own.
statement
CREATE TABLE made (id INT, a INT, b INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 LOCATION '{folder}/made' TBLPROPERTIES (preCombineField = 'b,a')

statement
CREATE TABLE again USING hudilite LOCATION '{folder}/made' TBLPROPERTIES (preCombineField = 'b,a')

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
CREATE TABLE other USING hudilite LOCATION '{folder}/made' TBLPROPERTIES (preCombineField = 'a,b')
