-- Hand: keys of all partitions
-- A key that is unique over all partitions of a table with buckets.
statement
CREATE TABLE b (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)
WITH BUCKETS 2 TBLPROPERTIES ('hudilite.index.global' = 'true')

statement
INSERT INTO b SELECT CAST(id AS INT), CAST(id % 3 AS STRING), 'first' FROM range(1, 9)

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO b VALUES (1, '2', 'is in 1'), (9, '2', 'new')

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO b VALUES (9, '1', 'once'), (9, '2', 'twice')

query expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO b USING (SELECT * FROM VALUES (9, '1', 'once'), (9, '2', 'twice') AS q(id, p, v)) s
ON b.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
MERGE INTO b USING (SELECT * FROM VALUES (1, '1', 'stays'), (2, '5', 'moved'), (9, '5', 'new') AS q(id, p, v)) s
ON b.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *
WHEN NOT MATCHED BY SOURCE AND b.id = 3 THEN UPDATE SET p = '6' WHEN NOT MATCHED BY SOURCE AND b.id = 4 THEN DELETE

query expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO b USING (SELECT * FROM VALUES (1, '2', 'is in 1') AS q(id, p, v)) s
ON b.id = s.id AND b.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

statement
SET spark.hudilite.insert.duplicates = update

statement
INSERT INTO b VALUES (5, '0', 'moved'), (10, '0', 'new')

statement
RESET spark.hudilite.insert.duplicates

query
UPDATE b SET p = '7' WHERE id = 6

query
SELECT * FROM b ORDER BY id

query
CALL verify(table => 'b', level => 'rows')

-- With an ordering field the greatest row of a key counts, wherever it goes.
statement
CREATE TABLE o (id INT, p STRING, ts INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)
TBLPROPERTIES ('hudilite.index.global' = 'true', preCombineField = 'ts')

statement
INSERT INTO o VALUES (1, 'a', 5), (2, 'b', 5)

query
MERGE INTO o USING (SELECT * FROM VALUES (1, 'b', 6), (1, 'c', 7), (2, 'z', 4), (3, 'z', 1), (3, 'b', NULL), (3, 'a', 2) AS q(id, p, ts)) s
ON o.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM o ORDER BY id

statement
SET spark.hudilite.insert.duplicates = update

statement
INSERT INTO o VALUES (1, 'x', 8), (1, 'd', 9), (2, 'z', 3), (4, 'z', 1), (4, 'b', 2)

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO o VALUES (5, 'z', 1), (5, 'b', 1)

statement
SET spark.hudilite.insert.duplicates = keep

statement
INSERT INTO o VALUES (1, 'x', 10), (6, 'd', 9), (6, 'z', 3)

query
SELECT * FROM o ORDER BY id
