-- Hand: Delta's UPDATE takes no sub-query
-- Config: spark.sql.shuffle.partitions=2
-- Config: spark.sql.maxMetadataStringLength=1000

statement
CREATE TABLE t (id INT, v STRING, n INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO t SELECT id, 'old', id FROM range(10)

statement
CREATE TABLE o (id INT, v STRING) USING parquet

statement
INSERT INTO o VALUES (1, 'one'), (2, 'two'), (20, 'twenty')

query
UPDATE t SET v = 'in' WHERE id IN (SELECT id FROM o)

query
UPDATE t SET v = 'exists' WHERE EXISTS (SELECT 1 FROM o WHERE o.id = t.id + 1)

-- Values from a query, with and without a condition.
query
UPDATE t SET v = (SELECT max(o.v) FROM o WHERE o.id = t.id), n = n + (SELECT count(*) FROM o) WHERE id < 4

query
UPDATE t SET n = (SELECT max(n) FROM t) WHERE id = 9

query
SELECT * FROM t ORDER BY id

query
UPDATE t SET n = int((SELECT sum(n) FROM t))

query
SELECT count(DISTINCT n) FROM t

-- Values that change with each call are computed once a row.
query
UPDATE t SET v = uuid(), n = int(floor(rand() * 3)) WHERE id IN (SELECT id FROM t WHERE rand() < 2)

query
SELECT count(DISTINCT v), count_if(n IN (0, 1, 2)) FROM t

-- By a meta column.
query
UPDATE t SET v = _hoodie_record_key WHERE _hoodie_record_key > '7'

query
SELECT id, v FROM t WHERE id > 7 ORDER BY id

query
EXPLAIN UPDATE t SET v = 'in' WHERE id IN (SELECT id FROM o)
