-- Hand: Delta's DELETE takes no sub-query
statement
CREATE TABLE t (id INT, p STRING, v STRING, n INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO t SELECT id, CASE WHEN id % 3 = 0 THEN NULL WHEN id % 3 = 1 THEN 'a' ELSE 'b' END, concat('v', id), id FROM range(20)

statement
CREATE TABLE o (id INT, n INT) USING parquet

statement
INSERT INTO o VALUES (1, 1), (2, 5), (3, 3), (NULL, 4)

query
DELETE FROM t WHERE id IN (SELECT id FROM o)

query
DELETE FROM t WHERE EXISTS (SELECT 1 FROM o WHERE o.n = t.n) AND p = 'a'

-- Nothing is NOT IN a list with a null.
query
DELETE FROM t WHERE id NOT IN (SELECT id FROM o)

query
DELETE FROM t WHERE n > (SELECT max(n) + 12 FROM o)

-- Correlated.
query
DELETE FROM t WHERE n = (SELECT max(o.n) FROM o WHERE o.id < t.id AND t.id < 6)

-- The table itself.
query
DELETE FROM t WHERE n = (SELECT max(n) FROM t)

query
SELECT * FROM t ORDER BY id

query
DELETE FROM t WHERE id < 100 AND NOT EXISTS (SELECT 1 FROM o WHERE o.n = t.n)

query
SELECT * FROM t ORDER BY id
