-- Settings that make no sense are told before anything is read, and nothing changes.
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
SET spark.hudilite.write.rowGroupRows = 0

statement expect_error(HUDILITE_SETTING_INVALID)
INSERT INTO t VALUES (1, 'a')

statement
SET spark.hudilite.write.rowGroupRows = 65536

statement
SET spark.hudilite.write.pageRows = many

statement expect_error(HUDILITE_SETTING_INVALID)
INSERT INTO t VALUES (1, 'a')

statement
SET spark.hudilite.write.pageRows = 5000

statement
SET spark.hudilite.write.copy = maybe

statement expect_error(HUDILITE_SETTING_INVALID)
INSERT INTO t VALUES (1, 'a')

statement
SET spark.hudilite.write.copy = TRUE

statement
INSERT INTO t VALUES (1, 'a')

query
SELECT * FROM t
