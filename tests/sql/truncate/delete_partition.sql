-- Hand: Delta stores '' in a partition column as null
-- DELETE of whole partitions hides file groups: it answers with the rows that they held.
statement
CREATE TABLE t (id INT, v STRING, p STRING, day DATE, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p, day) WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'a', 'x', DATE'2024-01-01'), (2, 'b', 'x', DATE'2024-01-01'), (3, 'c', 'x', DATE'2024-01-02'), (4, 'd', 'y', DATE'2024-01-01'), (5, 'e', 'y', DATE'2024-03-01')

statement
MERGE INTO t USING (SELECT 1 id, 'A' v, 'x' p, DATE'2024-01-01' day) s ON t.id = s.id AND t.p = s.p AND t.day = s.day WHEN MATCHED THEN UPDATE SET *

query
DELETE FROM t WHERE p = 'x' AND day = '2024-01-01'

query
SELECT * FROM t

query
DELETE FROM t AS d WHERE d.day BETWEEN '2024-01-01' AND '2024-01-31' OR d.p = 'w'

query
SELECT * FROM t

-- A partition that is not there: no rows, no commit.
query
DELETE FROM t WHERE p = 'nowhere'

statement
INSERT INTO t VALUES (6, 'f', NULL, DATE'2024-01-01'), (7, 'g', '', DATE'2024-01-01'), (8, 'h', 'z', NULL)

query
DELETE FROM t WHERE day IS NULL

-- Null and the empty text share a folder: where they fare unlike, rows are looked at.
query
DELETE FROM t WHERE p IS NULL

query
SELECT * FROM t

query
DELETE FROM t WHERE p IS NULL OR p = ''

query
DELETE FROM t WHERE day < current_date() - INTERVAL 3000 DAYS AND p IN ('y', 'z')

query
SELECT * FROM t

query
DELETE FROM t

query
DELETE FROM t

query
SELECT * FROM t

query
EXPLAIN DELETE FROM t WHERE p > 'm'
