-- Hand: procedures are hudilite's own
query
CALL check_storage(location => '{folder}/lake/orders')

-- The check leaves nothing behind.
statement
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 LOCATION '{folder}/lake/orders'

statement
INSERT INTO t VALUES (1)

query
CALL check_storage('file:{folder}/lake/orders')

query
SELECT * FROM t

-- A file system that Hadoop keeps would have the folder of an earlier run.
statement
SET fs.viewfs.impl.disable.cache=true

statement
SET `fs.viewfs.mounttable.here.link./data`=`file://{folder}`

query
CALL check_storage(location => 'viewfs://here/data/t')

statement
SET spark.hudilite.write.singleWriter=viewfs

query
CALL check_storage(location => 'viewfs://here/data/t')

query
CALL check_storage(location => 'nowhere://bucket/t')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL check_storage(location => NULL)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL check_storage(location => ' ')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL check_storage(location => 's3a:bucket')

-- The error does not repeat the keys.
query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL check_storage(location => 's3a://key:secret@bucket/t')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL check_storage(location => 's3a://key:se/cret@bucket/t')

query
DESCRIBE PROCEDURE check_storage
