-- Hand: the facts are Hudi's
statement
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES ('hoodie.clean.automatic' = 'TRUE', 'hoodie.clean.commits.retained' = '5', 'hoodie.clean.hours.retained' = '336')

query
SHOW TBLPROPERTIES t

query
SHOW CREATE TABLE t

statement
INSERT INTO t VALUES (1)

statement
ALTER TABLE t SET TBLPROPERTIES ('hoodie.clean.commits.retained' = '7')

statement
ALTER TABLE t UNSET TBLPROPERTIES ('hoodie.clean.automatic')

query
SHOW TBLPROPERTIES t

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
ALTER TABLE t SET TBLPROPERTIES ('hoodie.clean.hours.retained' = '24')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
ALTER TABLE t SET TBLPROPERTIES ('hoodie.clean.commits.retained' = 'many')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE u (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.clean.automatic' = 'yes')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE u (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.clean.policy' = 'KEEP_LATEST_FILE_VERSIONS')

statement
SET hoodie.clean.automatic = true

statement expect_error(HUDILITE_PROPERTY_CONFLICT)
INSERT INTO t VALUES (2)

statement
SET hoodie.clean.automatic = false

statement
INSERT INTO t VALUES (3)

query
SELECT * FROM t ORDER BY id
