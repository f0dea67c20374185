-- Hand: procedures are hudilite's own
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES ('hoodie.write.table.version' = '6')

statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'y')

statement
UPDATE t SET v = 'c' WHERE id = 1

query
CALL downgrade_table(table => 't')

query
CALL upgrade_table(table => 't')

query
CALL metadata_table(table => 't')

query
SELECT * FROM t ORDER BY id

query
CALL verify(table => 't')

query
CALL upgrade_table(table => 't', version => 9)

query
CALL upgrade_table(table => 't', to_version => 'nine')

statement
DELETE FROM t WHERE id = 2

query
CALL downgrade_table(table => 't', to_version => 'EIGHT')

query
CALL downgrade_table('t', 6)

query
SELECT * FROM t ORDER BY id

query
CALL verify(table => 't')

query
DESCRIBE PROCEDURE upgrade_table

query
DESCRIBE PROCEDURE downgrade_table

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL upgrade_table(table => 't', version => 7)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL upgrade_table(table => 't', to_version => 'TEN')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL upgrade_table(table => 't', version => 9, to_version => 'NINE')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL downgrade_table(table => 't', version => 9)

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL upgrade_table(table => CAST(NULL AS STRING))
