-- Hand: the facts are Hudi's
statement
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES ('hoodie.datasource.hive_sync.database' = 'lake', 'hoodie.datasource.hive_sync.table' = 't_by_name')

query
SHOW TBLPROPERTIES t

-- A commit stands whether or not a metastore can be told of it.
statement
ALTER TABLE t SET TBLPROPERTIES ('hoodie.datasource.hive_sync.enable' = 'true', 'hoodie.datasource.hive_sync.sync_as_datasource' = 'false')

statement
INSERT INTO t VALUES (1)

query expect_error(HUDILITE_HIVE_SYNC_FAILED)
CALL hive_sync(table => 't')

statement
ALTER TABLE t UNSET TBLPROPERTIES ('hoodie.datasource.hive_sync.enable', 'hoodie.datasource.hive_sync.table')

query
SHOW TBLPROPERTIES t

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
ALTER TABLE t SET TBLPROPERTIES ('hoodie.datasource.hive_sync.enable' = 'yes')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
ALTER TABLE t SET TBLPROPERTIES ('hoodie.datasource.hive_sync.table' = 'lake.t')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE u (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.datasource.hive_sync.mode' = 'hms')

query
SELECT * FROM t
