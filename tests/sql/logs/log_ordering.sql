-- Hand: Delta has no ordering field
-- Readers compare rows of log files by the ordering field, so some changes make a base file.
statement
CREATE TABLE o (id INT, ts INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (type = 'mor', preCombineField = 'ts')

statement
INSERT INTO o VALUES (1, 1), (2, 2)

-- The statement compares the values of the source, readers those of the row: here they differ.
query
MERGE INTO o USING (SELECT 2 id, 1 ts) s ON o.id = s.id
WHEN MATCHED THEN UPDATE SET id = s.id, ts = s.ts + 5 WHEN NOT MATCHED THEN INSERT (id, ts) VALUES (s.id, s.ts + 5)

query
SELECT * FROM o

query
MERGE INTO o USING (SELECT 2 id, 3 ts) s ON o.id = s.id
WHEN MATCHED THEN UPDATE SET id = s.id, ts = s.ts - 3 WHEN NOT MATCHED THEN INSERT (id, ts) VALUES (s.id, s.ts - 3)

query
SELECT * FROM o

-- Rows of one key change places: in x, the new row is lower than the one that leaves.
statement
CREATE TABLE u (id INT, ts INT, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1 TBLPROPERTIES (type = 'mor', preCombineField = 'ts')

statement
INSERT INTO u VALUES (1, 10, 'x'), (1, 5, 'y'), (2, 0, 'x')

query
UPDATE u SET p = IF(p = 'x', 'y', 'x') WHERE id = 1

query
SELECT * FROM u

query
SELECT partition, count(*) FROM u.files GROUP BY partition

-- A deleted key comes back with a lower value.
statement
DELETE FROM u WHERE id = 1

query
MERGE INTO u USING (SELECT 1 id, 3 ts, 'y' p) s ON u.id = s.id AND u.p = s.p
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM u

-- A row of a log file that loses to its base, when a new base file is made.
statement
CREATE TABLE b (id INT, ts INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES (type = 'mor', preCombineField = 'ts')

statement
INSERT INTO b VALUES (1, 5, 'base'), (2, 5, 'base'), (3, 5, 'base')

statement
MERGE INTO b USING (SELECT 1 id, 3 ts, 'late' v UNION ALL SELECT 3, 6, 'log') s ON b.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
UPDATE b SET ts = 1, v = 'lower' WHERE id = 2

query
SELECT * FROM b

query
SELECT count(*), max(`rows`) FROM b.files WHERE path LIKE '%.parquet'
