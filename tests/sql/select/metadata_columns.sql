statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'x')

statement
INSERT INTO t VALUES (3, 'c', 'y')

-- Not in the star, there when named.
query
SELECT * FROM t

query
SELECT _hoodie_commit_time, _hoodie_commit_seqno, _hoodie_record_key, _hoodie_partition_path, _hoodie_file_name, * FROM t ORDER BY id

query
SELECT id FROM t WHERE _hoodie_record_key = '2'

query
SELECT id FROM t WHERE _hoodie_partition_path = 'p=y'

query
SELECT _hoodie_commit_time, count(*) FROM t GROUP BY _hoodie_commit_time ORDER BY _hoodie_commit_time

query
SELECT count(DISTINCT _hoodie_commit_seqno) FROM t

query
SELECT id FROM t WHERE endswith(_hoodie_file_name, concat(_hoodie_commit_time, '.parquet'))

query
DESCRIBE TABLE t

statement expect_error(UNRESOLVED_COLUMN.WITH_SUGGESTION)
SELECT _hoodie_absent FROM t

-- They are Hudi's own: no statement sets them.
statement expect_error(HUDILITE_COLUMN_UNKNOWN)
INSERT INTO t (id, v, p, _hoodie_commit_time) VALUES (9, 'i', 'x', '0')
