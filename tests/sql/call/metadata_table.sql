-- Hand: procedures are hudilite's own
statement
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

query
CALL metadata_table(table => 't')

query
CALL metadata_table('t', 'DETACH')

query
DESCRIBE PROCEDURE metadata_table

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL metadata_table(table => 't', action => 'detatch')

query expect_error(HUDILITE_ARGUMENT_INVALID)
CALL metadata_table(table => 't', action => CAST(NULL AS STRING))
