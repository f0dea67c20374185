-- Rows with ordering values that take each other's place: each source row counts for its own target row.
statement
CREATE TABLE t (id INT, p STRING, v STRING, ts INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) TBLPROPERTIES (preCombineField = 'ts')

statement
INSERT INTO t VALUES (1, 'a', 'in a', 5), (1, 'b', 'in b', 5), (2, 'a', 'alone', 5)

query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'a', 'b', 6), (1, 'b', 'c', 7), (1, 'b', 'lost', 6) AS q(id, p, new, ts)) s
ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET p = s.new, ts = s.ts

query
SELECT * FROM t ORDER BY id, p

query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'b', 'c', 9), (1, 'c', 'b', 8), (1, 'c', 'b', 8) AS q(id, p, new, ts)) s
ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET p = s.new, ts = s.ts

query
SELECT * FROM t ORDER BY id, p

-- Two rows of the table cannot have one place, whatever their ordering values are.
query expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO t USING (SELECT * FROM VALUES (1, 'b', 'd', 10), (1, 'c', 'd', 11) AS q(id, p, new, ts)) s
ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET p = s.new, ts = s.ts

-- Keys, too.
query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'b', 2, 10), (2, 'a', 1, 11), (1, 'c', 3, 12), (1, 'c', 4, 11), (1, 'c', 5, 1) AS q(id, p, new, ts)) s
ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET id = s.new, ts = s.ts

query
SELECT * FROM t ORDER BY id, p

-- An inserted row takes the place of one that leaves, whatever their ordering values are.
query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'a', 9, 20), (77, 'a', 1, 5), (2, 'b', 8, 20), (78, 'b', 2, 30) AS q(id, p, new, ts)) s
ON t.id = s.id AND t.p = s.p
WHEN MATCHED THEN UPDATE SET id = s.new, ts = s.ts
WHEN NOT MATCHED THEN INSERT (id, p, v, ts) VALUES (s.new, s.p, 'instead', s.ts)

query
SELECT * FROM t ORDER BY id, p

-- One clause gives keys, another one moves rows to partitions.
statement
CREATE TABLE parted (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO parted VALUES (1, 'a', 'x'), (2, 'a', 'y'), (3, 'c', 'z')

query
MERGE INTO parted t USING (SELECT 1 id, 10 new) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET id = s.new
WHEN NOT MATCHED BY SOURCE AND t.id = 2 THEN UPDATE SET p = 'b'
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = 'kept'

query
SELECT *, _hoodie_partition_path FROM parted ORDER BY id

query
SELECT * FROM parted WHERE p = 'b'
