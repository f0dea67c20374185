-- Hand: the facts are Hudi's
statement
CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES ('hoodie.archive.automatic' = 'TRUE', 'hoodie.keep.min.commits' = '2', 'hoodie.keep.max.commits' = '3')

query
SHOW TBLPROPERTIES t

statement
INSERT INTO t VALUES (1, 0)

statement
UPDATE t SET v = 1

statement
UPDATE t SET v = 2

query
SELECT count(*) FROM t.history

-- The fourth commit is one more than may stay.
statement
UPDATE t SET v = 3

query
SELECT action, state, commit_number FROM t.history ORDER BY instant

query
SELECT * FROM t

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
ALTER TABLE t SET TBLPROPERTIES ('hoodie.keep.min.commits' = '3')

statement
ALTER TABLE t SET TBLPROPERTIES ('hoodie.keep.min.commits' = '5', 'hoodie.keep.max.commits' = '6')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
ALTER TABLE t SET TBLPROPERTIES ('hoodie.keep.max.commits' = 'many')

statement
ALTER TABLE t UNSET TBLPROPERTIES ('hoodie.archive.automatic')

query
SHOW TBLPROPERTIES t

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE u (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.keep.min.commits' = '30')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE u (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.archive.automatic' = 'yes')
