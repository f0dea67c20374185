statement
CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'p/1 x=:%é', 'odd'), (2, 'a b', 'space'), (3, '..', 'dots'), (4, '../../x', 'up'), (5, '你好', 'non-ASCII'), (6, 'a+b&c', 'plus'), (7, '{x}[y]^', 'braces'), (8, '%2F', 'percent'), (9, 'x=y', 'equals'), (10, '.', 'dot'), (11, '"q"', 'quote'), (12, 'back\\slash', 'backslash'), (13, 'A', 'upper'), (14, 'a', 'lower'), (15, ' lead', 'leading space'), (16, 'trail ', 'trailing space'), (17, '_x', 'underscore'), (18, '-1', 'minus')

query
SELECT id, p, v FROM t ORDER BY id

query
SELECT id, _hoodie_partition_path FROM t ORDER BY id

query
SELECT v FROM t WHERE p = 'p/1 x=:%é'

query
SELECT v FROM t WHERE p = '..'

query
SELECT v FROM t WHERE p IN ('a b', '你好', '{x}[y]^', 'back\\slash', 'absent')

query
SELECT v FROM t WHERE p = '%2F'

query
SELECT v FROM t WHERE p LIKE 'a%'

query
MERGE INTO t USING (SELECT id, p, concat(v, '!') v FROM t) s ON t.id = s.id AND t.p = s.p
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT count(*), count(DISTINCT p) FROM t WHERE v LIKE '%!'

-- Null has a folder of its own; an empty string would share it and is refused or read back as null.
statement
CREATE TABLE n (id INT, p STRING, q INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p, q) WITH BUCKETS 2

statement
INSERT INTO n VALUES (1, NULL, 1), (2, 'x', NULL), (3, NULL, NULL), (4, 'x', 4)

query
SELECT *, _hoodie_partition_path FROM n

query
SELECT id FROM n WHERE p IS NULL

query
SELECT id FROM n WHERE p IS NULL AND q IS NULL

query
SELECT id FROM n WHERE p IS NOT NULL AND q IS NOT NULL

query
SELECT id FROM n WHERE p <=> NULL AND q = 1

query
MERGE INTO n USING (SELECT * FROM VALUES (3, 'found') AS q(id, x)) s ON n.id = s.id WHEN MATCHED THEN UPDATE SET q = 33

query
SELECT * FROM n
