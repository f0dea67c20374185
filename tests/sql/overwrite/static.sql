-- Hand: Delta stores '' in a partition column as null
statement
CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 3

statement
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y'), (4, 'd', 'z')

-- One partition: it holds the new rows and nothing else; the others stay as they are.
query
INSERT OVERWRITE t PARTITION (p = 'x') VALUES (2, 'new'), (5, 'more')

query
SELECT *, _hoodie_commit_time FROM t

-- Replaced keys are gone: they can be inserted again.
statement
INSERT INTO t VALUES (1, 'again', 'x')

query
SELECT * FROM t WHERE p = 'x'

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (2, 'twice', 'x')

statement
MERGE INTO t USING (SELECT 2 id, 'merged' v, 'x' p) s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET *

-- A second replacement of the same buckets.
statement
INSERT OVERWRITE t PARTITION (p = 'x') SELECT id, concat(v, '!') FROM t WHERE p = 'x'

query
SELECT * FROM t WHERE p = 'x'

-- A partition that is not there yet.
statement
INSERT OVERWRITE t PARTITION (p = 'w') SELECT 1, 'first'

-- By name, with a column list, in another order.
statement
INSERT OVERWRITE t PARTITION (p = 'w') (v, id) VALUES ('listed', 7)

query
SELECT * FROM t WHERE p = 'w'

statement
INSERT OVERWRITE t PARTITION (p = 'w') BY NAME SELECT 'named' v, 8 id

query
SELECT * FROM t WHERE p = 'w'

-- No rows: the partition is empty.
statement
INSERT OVERWRITE t PARTITION (p = 'w') SELECT 1, 'a' WHERE false

query
SELECT * FROM t WHERE p = 'w'

query
SELECT count(*), count(DISTINCT p) FROM t

-- Without static values everything is replaced, a PARTITION clause without a value or not.
statement
INSERT OVERWRITE t PARTITION (p) SELECT 1, 'all', 'x'

query
SELECT * FROM t

statement
INSERT OVERWRITE t VALUES (1, 'a', 'x'), (1, 'b', 'y'), (2, 'c', NULL), (3, 'd', '')

query
SELECT * FROM t

statement
INSERT OVERWRITE TABLE t BY NAME SELECT 'y' p, 9 id, 'by name' v

query
SELECT * FROM t

statement
INSERT OVERWRITE t SELECT * FROM t WHERE false

query
SELECT * FROM t

-- Nothing is there and nothing comes: no commit.
statement
INSERT OVERWRITE t SELECT * FROM t

-- A table without partitions.
statement
CREATE TABLE flat (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT OVERWRITE flat VALUES (1, 'a'), (2, 'b'), (3, 'c')

statement
INSERT OVERWRITE flat VALUES (2, 'only')

query
SELECT * FROM flat

query
EXPLAIN INSERT OVERWRITE flat VALUES (4, 'd')

query
SELECT * FROM flat
