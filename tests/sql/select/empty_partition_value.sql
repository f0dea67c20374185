-- Hand: Delta stores '' in a partition column as null
-- An empty string lies in the same folder as null, yet each reads back as what it was.
statement
CREATE TABLE t (id INT, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, NULL), (2, ''), (3, 'x')

query
SELECT id, p, p IS NULL, _hoodie_partition_path FROM t

query
SELECT id FROM t WHERE p = ''

query
SELECT id FROM t WHERE p IS NULL

query
SELECT id FROM t WHERE p <> ''
