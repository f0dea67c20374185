-- Hand: properties and errors only
-- The lock of stock Hudi needs a storage with conditional writes, and a version with times of completion.
statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hudilite.stock.lock' = 'storage')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hudilite.stock.lock' = 'storage', 'hoodie.write.table.version' = '9')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hudilite.stock.lock' = 'zookeeper')

statement
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.write.table.version' = '9')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
ALTER TABLE t SET TBLPROPERTIES ('hudilite.stock.lock' = 'storage')

statement
ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('hudilite.stock.lock')

statement
INSERT INTO t VALUES (1)

query
SELECT * FROM t
