-- Hand: procedures are hudilite's own
-- Procedures that hudilite does not have. What each error says to type: e2e/test_other_names.py.
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite

statement
INSERT INTO t VALUES (1, 'a')

query expect_error(HUDILITE_PROCEDURE_NOT_FOUND)
CALL run_clustering(table => 't', order => 'v')

query expect_error(HUDILITE_PROCEDURE_NOT_FOUND)
CALL show_metadata_table_files(table => 't')

query expect_error(HUDILITE_PROCEDURE_NOT_FOUND)
CALL copy_to_table(table => 't', new_table => 'u')

query expect_error(HUDILITE_PROCEDURE_NOT_FOUND)
CALL copy_to_table('t', 'snapshot', 'u')

query expect_error(HUDILITE_PROCEDURE_NOT_FOUND)
CALL system.expire_snapshots('t', TIMESTAMP '2020-01-01 00:00:00', 5)

query expect_error(HUDILITE_PROCEDURE_NOT_FOUND)
CALL spark_catalog.system.expire_snapshots(table => 't', older_than => current_timestamp(), stream_results => true)

query expect_error(HUDILITE_PROCEDURE_NOT_FOUND)
CALL rewrite_data_files(table => 't', options => map('min-input-files', '2'))

-- The table is opened where the answer depends on it.
query expect_error(TABLE_OR_VIEW_NOT_FOUND)
CALL rewrite_data_files(table => 'none')

query expect_error(HUDILITE_PROCEDURE_NOT_FOUND)
CALL run_clustering()

query expect_error(HUDILITE_PROCEDURE_NOT_FOUND)
CALL run_clustering('t', NULL, NULL, NULL, NULL, NULL, NULL, NULL)

query expect_error(HUDILITE_PROCEDURE_NOT_FOUND)
CALL run_clustering(table => 't', order => 'v', order_strategy => 'z-order', predicate => 'p > 3')

query expect_error(HUDILITE_PROCEDURE_NOT_FOUND)
CALL show_clustering(table => 't')

query expect_error(HUDILITE_PROCEDURE_NOT_FOUND)
CALL rewrite_data_files(table => 't', strategy => 'sort', sort_order => 'zorder(id, v)')

-- They are not listed.
query
SHOW PROCEDURES

query
SELECT * FROM t
