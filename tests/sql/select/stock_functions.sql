-- Hand: table functions of stock Hudi, and Delta's over commit numbers
-- interop/test_stock_procedures.py compares those of Hudi, catalogs/test_three_formats.py those of Delta.
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite

query
SELECT * FROM hudi_table_changes('t', 'latest_state', 'earliest')

query
SELECT * FROM table_changes('t', 0)

statement
INSERT INTO t VALUES (1, 'a'), (2, 'b')

statement
UPDATE t SET v = 'c' WHERE id = 1

statement
DELETE FROM t WHERE id = 2

query
SELECT _hoodie_commit_time, _hoodie_record_key, id, v FROM hudi_table_changes('t', 'latest_state', 'earliest') ORDER BY id

query
SELECT id, v FROM hudi_table_changes('t', 'LATEST_STATE', '000', '{instant 1 of t}') ORDER BY id

query
SELECT id, v FROM hudi_table_changes('t', 'latest_state', '{instant 1 of t}')

query
SELECT id, v FROM hudi_table_changes('{folder}/db/t', 'latest_state', '{instant 2 of t}')

query expect_error(HUDILITE_ARGUMENT_INVALID)
SELECT * FROM hudi_table_changes('t', 'cdc', 'earliest')

query expect_error(HUDILITE_ARGUMENT_INVALID)
SELECT * FROM hudi_table_changes('t', 'all', 'earliest')

query expect_error(HUDILITE_ARGUMENT_INVALID)
SELECT * FROM hudi_table_changes('t', 'latest_state', 'yesterday')

query expect_error(HUDILITE_ARGUMENT_INVALID)
SELECT * FROM hudi_table_changes('t', 'latest_state')

query
SELECT Timestamp, Action, State, Total_Files_Updated, Total_Partitions_Written, Total_Records_Written, Total_Updated_Records_Written, Total_Write_Errors FROM hudi_query_timeline('t') ORDER BY Timestamp

query expect_error(HUDILITE_ARGUMENT_INVALID)
SELECT * FROM hudi_query_timeline('t', 'true')

query
SELECT count(*) FROM hudi_query_timeline('t', 'false') WHERE Completion_Time > Timestamp AND File_Name LIKE concat('%', Timestamp, '%')

query
SELECT Partition_Path, Base_Instant_Time, Log_File_Count, Log_File_Size FROM hudi_filesystem_view('t')

query
SELECT f.bytes = v.Base_File_Size AND f.path = v.Base_File_Path AND f.file_id = v.File_ID FROM t.files f CROSS JOIN hudi_filesystem_view('t') v

query expect_error(HUDILITE_ARGUMENT_INVALID)
SELECT * FROM hudi_filesystem_view('t', 'p=a')

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
SELECT * FROM hudi_metadata('t')

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
SELECT * FROM hudi_query('t', 'snapshot')

-- Delta's: both ends count, version 0 is the creation of the table.
query
SELECT id, v, _change_type, _commit_version FROM table_changes('t', 0) ORDER BY _commit_version, id, _change_type DESC

query
SELECT id, v, _change_type, _commit_version FROM table_changes('t', 2, 2) ORDER BY _change_type DESC

query
SELECT id, v, _change_type, _commit_version FROM table_changes('t', '{instant 2 of t}', '{instant 3 of t}') ORDER BY _commit_version, _change_type DESC

query
SELECT _commit_timestamp BETWEEN current_timestamp() - INTERVAL 1 HOUR AND current_timestamp() FROM table_changes('t', 3)

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM table_changes('t', 4)

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM table_changes('t', '20200101000000000')

query expect_error(HUDILITE_ARGUMENT_INVALID)
SELECT * FROM table_changes('t', '2020-01-01')

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM table_changes('t', 3, 2)

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM table_changes('t', -1)

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
SELECT * FROM table_changes('none', 0)

statement
CREATE TABLE plain (id INT) USING parquet

query expect_error(HUDILITE_ARGUMENT_INVALID)
SELECT * FROM table_changes('plain', 0)

-- A view has rows of its own choice, and no commits.
statement
CREATE TEMPORARY VIEW one AS SELECT id FROM t WHERE id = 1

query expect_error(HUDILITE_ARGUMENT_INVALID)
SELECT * FROM hudi_table_changes('one', 'latest_state', 'earliest')

query expect_error(HUDILITE_ARGUMENT_INVALID)
SELECT * FROM hudi_metadata()

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM t VERSION AS OF 0

-- In a view, in WITH and below a command.
statement
CREATE TEMPORARY VIEW changes AS SELECT id FROM hudi_table_changes('t', 'latest_state', 'earliest')

query
WITH c AS (SELECT id FROM table_changes('t', 1, 1)) SELECT * FROM changes WHERE id IN (SELECT id FROM c)

query
SELECT * FROM t

-- The commits before the first active one are archived: their changes are not shown.
statement
CREATE TABLE older (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1

statement
INSERT INTO older VALUES (1, 'a')

statement
UPDATE older SET v = 'b'

statement
UPDATE older SET v = 'c'

statement
UPDATE older SET v = 'd'

statement
CALL clean(table => 'older', retain_commits => 2, retain_hours => 0, allow_short_retention => true)

statement
CALL archive(table => 'older', keep_min => 2, keep_max => 3)

query
SELECT count(*), max(_commit_version) FROM table_changes_by_path('{folder}/db/t', 0)

query expect_error(HUDILITE_ARGUMENT_INVALID)
SELECT * FROM table_changes_by_path('{folder}/db/t')

query expect_error(HUDILITE_VERSION_NOT_FOUND)
SELECT * FROM table_changes('older', 0)

query
SELECT id, v, _change_type FROM table_changes('older', 4)
