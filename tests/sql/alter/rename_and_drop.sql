statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a'), (2, 'b')

statement
ALTER TABLE t RENAME TO u

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
SELECT * FROM t

query
SELECT * FROM u

query
MERGE INTO u USING (SELECT 1 id, 'A' v) s ON u.id = s.id WHEN MATCHED THEN UPDATE SET *

query
SHOW CREATE TABLE u

-- The old name and its place are free.
statement
CREATE TABLE t (k STRING, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 3

statement expect_error(TABLE_OR_VIEW_ALREADY_EXISTS)
ALTER TABLE t RENAME TO u

statement
DROP TABLE t PURGE

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
SELECT * FROM t

-- A table at a LOCATION of its own keeps its place under another name, and its files.
statement
CREATE TABLE placed (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 LOCATION '{folder}/placed'

statement
INSERT INTO placed VALUES (1)

statement
ALTER TABLE placed RENAME TO moved

query
SELECT * FROM moved

statement
DROP TABLE moved PURGE

statement
CREATE TABLE again USING hudilite LOCATION '{folder}/placed'

query
SELECT * FROM again

-- Other statements are refused by name.
statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE u SET LOCATION '{folder}/elsewhere'

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE u ADD PARTITION (v = 'x')

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE u RECOVER PARTITIONS

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
MSCK REPAIR TABLE u

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
LOAD DATA INPATH '/absent' OVERWRITE INTO TABLE u

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
ALTER TABLE u CLUSTER BY (id)
