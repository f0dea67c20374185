-- Hand: the fact is hudilite's own
statement
CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES ('hoodie.write.table.version' = '9', 'hudilite.metadata' = 'keep-files')

query
SHOW TBLPROPERTIES t

statement
INSERT INTO t VALUES (1, 0)

-- hudilite creates no metadata table.
query
CALL metadata_table(table => 't')

query
CALL show_timeline(table => 't')

statement
ALTER TABLE t SET TBLPROPERTIES ('hudilite.metadata' = 'detach')

query
SHOW TBLPROPERTIES t ('hudilite.metadata')

statement
ALTER TABLE t UNSET TBLPROPERTIES ('hudilite.metadata')

query
SHOW TBLPROPERTIES t

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
ALTER TABLE t SET TBLPROPERTIES ('hudilite.metadata' = 'keep')

statement
ALTER TABLE t SET TBLPROPERTIES ('hudilite.metadata' = 'KEEP-FILES')

-- Tables of version 6 have no list that could be kept.
statement
CALL downgrade_table(table => 't', version => 6)

query
SHOW TBLPROPERTIES t

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
ALTER TABLE t SET TBLPROPERTIES ('hudilite.metadata' = 'keep-files')

statement
ALTER TABLE t SET TBLPROPERTIES ('hudilite.metadata' = 'detach')

statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE u (id INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES ('hoodie.write.table.version' = '6', 'hudilite.metadata' = 'keep-files')

query
SELECT * FROM t

-- With the lock of stock Hudi it needs a storage that has such a lock.
statement expect_error(HUDILITE_PROPERTY_UNSUPPORTED)
CREATE TABLE w (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2
TBLPROPERTIES ('hoodie.write.table.version' = '9', 'hudilite.metadata' = 'keep-files', 'hudilite.stock.lock' = 'storage')
