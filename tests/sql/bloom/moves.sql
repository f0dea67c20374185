-- A row whose partition column is assigned goes to the new partition.
statement
CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)

statement
INSERT INTO t VALUES (1, 'a', 'one'), (2, 'a', 'two'), (3, 'b', 'three'), (4, 'c', 'four'), (5, NULL, 'five')

query
UPDATE t SET p = 'd' WHERE id IN (1, 4)

query
SELECT * FROM t ORDER BY id

query
MERGE INTO t USING (SELECT * FROM VALUES (2, 'b', 'moved'), (3, 'b', 'stays'), (5, 'a', 'from null'), (6, 'e', 'new') AS q(id, p, v)) s
ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t ORDER BY id

query
UPDATE t SET p = CASE WHEN p = 'b' THEN 'd' WHEN p = 'd' THEN 'b' ELSE p END, v = concat(v, '!')

query
SELECT * FROM t ORDER BY id

query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'x'), (2, 'x'), (3, 'x') AS q(id, p)) s
ON t.id = s.id
WHEN MATCHED AND t.id = 1 THEN DELETE
WHEN MATCHED AND t.id = 2 THEN UPDATE SET p = s.p
WHEN MATCHED THEN UPDATE SET v = 'not moved'

query
SELECT * FROM t ORDER BY id

query
UPDATE t SET p = v WHERE id > 3

query
SELECT * FROM t ORDER BY id

query
SELECT count(*) FROM t WHERE _hoodie_partition_path <> concat('p=', p)

statement
CREATE TABLE twice (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)

statement
INSERT INTO twice VALUES (1, 'a', 'in a'), (1, 'b', 'in b'), (2, 'a', 'alone')

query expect_error(HUDILITE_DUPLICATE_KEY)
UPDATE twice SET p = 'b' WHERE p = 'a'

-- Each goes to the other's place.
query
UPDATE twice SET p = CASE p WHEN 'a' THEN 'b' ELSE 'a' END

query
SELECT * FROM twice ORDER BY id, p

query
MERGE INTO t USING (SELECT * FROM VALUES (2, 'x', 'again'), (7, 'y', 'seven') AS q(id, p, v)) s ON t.id = s.id AND t.p = s.p
WHEN MATCHED THEN UPDATE SET v = s.v
WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (s.id, 'elsewhere', s.v)
WHEN NOT MATCHED BY SOURCE AND t.id < 5 THEN UPDATE SET p = 'left', v = concat(t.p, ' left')
WHEN NOT MATCHED BY SOURCE AND t.id = 6 THEN DELETE

query
SELECT * FROM t ORDER BY id

-- Of two rows for one only that with the greater value of the ordering field moves it.
statement
CREATE TABLE ordered (id INT, p STRING, ts INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) TBLPROPERTIES (preCombineField = 'ts')

statement
INSERT INTO ordered VALUES (1, 'a', 5), (2, 'a', 5), (3, 'a', 5)

query
MERGE INTO ordered USING (SELECT * FROM VALUES (1, 'b', 6), (1, 'c', 7), (2, 'b', 6), (2, 'a', 7), (3, 'b', NULL), (3, 'c', 4) AS q(id, p, ts)) s
ON ordered.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM ordered ORDER BY id, p
