statement
CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'x', 'a'), (1, 'y', 'b'), (2, 'x', 'c'), (3, 'z', 'd')

-- ON names the partition column: one row is meant.
query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'y', 'B'), (2, 'y', 'new') AS q(id, p, v)) s ON t.id = s.id AND t.p = s.p
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

-- ON does not: the key is looked up in every partition, and each row found is meant.
query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'all'), (3, 'all'), (9, 'none') AS q(id, v)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET v = s.v
WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (s.id, 'w', s.v)

query
SELECT * FROM t

query
MERGE INTO t USING (SELECT * FROM VALUES (1) AS q(id)) s ON t.id = s.id WHEN MATCHED AND t.p = 'x' THEN DELETE

query
SELECT * FROM t

-- A literal pins the partition as well.
query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'pinned'), (2, 'pinned') AS q(id, v)) s ON t.id = s.id AND t.p = 'y'
WHEN MATCHED THEN UPDATE SET v = s.v

query
SELECT * FROM t

-- ON pins one partition, the clauses write into another.
query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'y', 'sent off'), (2, 'w', 'stays'), (7, 'y', 'comes') AS q(id, p, v)) s ON t.id = s.id AND t.p = s.p
WHEN MATCHED THEN UPDATE SET p = concat(s.p, '2'), v = s.v
WHEN NOT MATCHED AND s.id = 7 THEN INSERT (id, p, v) VALUES (s.id, 'y3', s.v)

query
SELECT * FROM t

-- A null partition equals no other; with <=> it does.
query
MERGE INTO t USING (SELECT 8 id, CAST(NULL AS STRING) p, 'in null' v) s ON t.id = s.id AND t.p = s.p WHEN NOT MATCHED THEN INSERT *

query
MERGE INTO t USING (SELECT 8 id, CAST(NULL AS STRING) p, 'again' v) s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET *

statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO t USING (SELECT 8 id, CAST(NULL AS STRING) p, 'again' v) s ON t.id = s.id AND t.p = s.p WHEN NOT MATCHED THEN INSERT *

query
MERGE INTO t USING (SELECT 8 id, CAST(NULL AS STRING) p, 'found' v) s ON t.id = s.id AND t.p <=> s.p WHEN MATCHED THEN UPDATE SET *

query
SELECT * FROM t WHERE id > 6

-- Partition columns inside the key: the key is unique over the whole table.
statement
CREATE TABLE g (id INT, day DATE, v STRING, PRIMARY KEY (id, day)) USING hudilite PARTITIONED BY (day) WITH BUCKETS 2 ON (id)

statement
INSERT INTO g VALUES (1, DATE'2024-01-01', 'a'), (1, DATE'2024-01-02', 'b')

query
MERGE INTO g t USING (SELECT * FROM VALUES (1, DATE'2024-01-02', 'B'), (1, DATE'2024-01-03', 'C') AS q(id, day, v)) s ON t.id = s.id AND t.day = s.day
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT *, _hoodie_partition_path FROM g

-- Two levels.
statement
CREATE TABLE deep (id BIGINT, y INT, m INT, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (y, m) WITH BUCKETS 2

statement
INSERT INTO deep SELECT id, 2023 + id % 2, id % 3, 'old' FROM range(12)

query
MERGE INTO deep t USING (SELECT id, 'new' v FROM range(10, 14)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET v = s.v
WHEN NOT MATCHED THEN INSERT (id, y, m, v) VALUES (s.id, 2025, 0, s.v)

query
SELECT *, _hoodie_partition_path FROM deep WHERE v = 'new'
