-- Hand: metadata tables under Iceberg's names
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id, p)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1

query
SELECT * FROM t.snapshots

statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'y')

statement
UPDATE t SET v = 'c' WHERE id = 1

query
SELECT committed_at IS NOT NULL AS committed, snapshot_id, parent_id, operation, summary['rows_updated'] AS updated FROM t.snapshots

query
SELECT count(*) FROM t.snapshots

query
SELECT max(id) FROM t VERSION AS OF '{instant 1 of t}'

-- Columns that SELECT * leaves out.
query
SELECT f.file_path = f.path AS same, record_count, file_size_in_bytes = bytes AS size FROM t.files f ORDER BY partition

query
SELECT partition, record_count, file_count, total_data_file_size_in_bytes > 0 AS bytes FROM t.partitions WHERE record_count > 0

query
SELECT h.made_current_at = s.committed_at AS same, s.operation, h.snapshot_id, h.is_current_ancestor FROM t.history h JOIN t.snapshots s ON h.snapshot_id = s.snapshot_id ORDER BY made_current_at

query
SELECT * EXCEPT (bytes) FROM t.partitions

-- What hudilite does not have says what to type.
query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
SELECT * FROM t.refs

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
SELECT * FROM t.manifests

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
SELECT * FROM t.all_data_files

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
SELECT * FROM t.position_deletes

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
SELECT * FROM t.metadata_log_entries

query expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
SELECT * FROM t.branch_audit

statement expect_error(HUDILITE_UNSUPPORTED_STATEMENT)
INSERT INTO t.branch_audit VALUES (3, 'd', 'x')

query expect_error(UNRESOLVED_COLUMN.WITH_SUGGESTION)
SELECT _metadata_file FROM t

-- Tables of other formats keep their names and columns.
statement
CREATE TABLE other USING parquet AS SELECT 1 AS id

query
SELECT count(DISTINCT _metadata.file_path) FROM other

query
SELECT count(other._metadata.file_path) FROM other JOIN t ON t.id = other.id

query expect_error(TABLE_OR_VIEW_NOT_FOUND)
SELECT * FROM other.refs

query expect_error(INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT)
SELECT * FROM other TIMESTAMP AS OF '20240101000000000'
