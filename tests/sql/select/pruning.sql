statement
CREATE TABLE t (id BIGINT, p STRING, v INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 4

statement
INSERT INTO t SELECT id, concat('p', id % 3), CAST(id AS INT) FROM range(60)

query
SELECT * FROM t WHERE id = 7

query
SELECT * FROM t WHERE id IN (7, 8, 59, 60, NULL)

query
SELECT * FROM t WHERE id = 7 AND p = 'p1'

query
SELECT * FROM t WHERE id = 7 AND p = 'p2'

query
SELECT * FROM t WHERE id IN (1, 2, 3, 4) AND p IN ('p1', 'p0') AND v < 4

query
SELECT * FROM t WHERE id = 7 AND id = 8

query
SELECT * FROM t WHERE id = NULL

query
SELECT count(*) FROM t WHERE id IS NULL

query
SELECT * FROM t WHERE id = 7 OR id = 9

query
SELECT * FROM t WHERE (id = 7 AND p = 'p1') OR (id = 9 AND p = 'p0')

query
SELECT * FROM t WHERE NOT (id <> 7)

query
SELECT * FROM t WHERE id <=> 7

query
SELECT * FROM t WHERE id = CAST('7' AS INT)

query
SELECT * FROM t WHERE 7 = id

query
SELECT * FROM t WHERE id = 7.0D

query
SELECT * FROM t WHERE CAST(id AS STRING) = '7'

query
SELECT * FROM t WHERE id BETWEEN 7 AND 8

query
SELECT count(*) FROM t WHERE p > 'p0'

query
SELECT * FROM t WHERE p = concat('p', '1') AND id + 0 = 7

query
SELECT v FROM t WHERE v = (SELECT max(v) FROM t)

query
SELECT t.id FROM t JOIN (SELECT 7 AS id UNION SELECT 70) s ON t.id = s.id

query
SELECT count(*), sum(id), min(p), max(v) FROM t

query
SELECT p, count(*) FROM t GROUP BY p

query
SELECT 1 FROM t WHERE id = 3

query
SELECT id FROM t ORDER BY id DESC LIMIT 3

-- Every key is found by its own bucket.
query
SELECT count(*) FROM t a JOIN t b ON a.id = b.id AND a.p = b.p

query
SELECT * FROM t WHERE p = 'absent'

-- All hash columns are needed to choose a bucket.
statement
CREATE TABLE c (s STRING, i INT, v INT, PRIMARY KEY (s, i)) USING hudilite WITH BUCKETS 8

statement
INSERT INTO c SELECT CAST(id % 5 AS STRING), id, id FROM range(40)

query
SELECT * FROM c WHERE s = '3' AND i = 8

query
SELECT count(*) FROM c WHERE s = '3'

query
SELECT count(*) FROM c WHERE i = 8

query
SELECT * FROM c WHERE s IN ('3', '4') AND i IN (8, 9, 10)

query
SELECT * FROM c WHERE s = '3' AND i IN (8, 13) AND v = 13

query
SELECT * FROM c WHERE (s = '3' AND i = 8) OR (s = '4' AND i = 9)

query
SELECT * FROM c WHERE s = 3 AND i = '8'

-- After changes the newest version of each file is read.
query
MERGE INTO c USING (SELECT '3' s, 8 i, 800 v) q ON c.s = q.s AND c.i = q.i WHEN MATCHED THEN UPDATE SET *

query
SELECT * FROM c WHERE s = '3' AND i = 8
