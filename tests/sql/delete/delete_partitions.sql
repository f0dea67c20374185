-- Hand: Delta stores '' in a partition column as null
statement
CREATE TABLE t (id INT, p STRING, d DATE, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p, d) WITH BUCKETS 2

statement
INSERT INTO t SELECT id, CASE WHEN id % 4 = 0 THEN NULL WHEN id % 4 = 1 THEN '' ELSE 'x' END, date_add(DATE'2024-01-01', int(id % 2)), 'old' FROM range(16)

-- The shared folder of null and the empty text.
query
DELETE FROM t WHERE p IS NULL AND id < 5

query
DELETE FROM t WHERE p = '' AND id > 10

query
SELECT * FROM t ORDER BY id

-- A whole partition, and one that is not there.
query
DELETE FROM t WHERE p = 'x' AND d = DATE'2024-01-01'

query
DELETE FROM t WHERE p = 'nowhere'

query
SELECT * FROM t ORDER BY id

query
EXPLAIN DELETE FROM t WHERE p = 'x' AND id = 3
