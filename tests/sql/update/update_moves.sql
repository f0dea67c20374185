-- Faults: F81
-- Hand: Delta's UPDATE takes no sub-query
-- A changed partition column moves the row in one commit.
statement
CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'x', 'a'), (2, 'x', 'b'), (3, 'y', 'c'), (4, NULL, 'd'), (1, 'y', 'e')

query
UPDATE t SET p = 'z', v = concat(v, ' moved') WHERE p = 'x' AND id = 2

query
UPDATE t SET p = p WHERE id = 3

query
UPDATE t SET p = upper(coalesce(p, 'null')) WHERE id > 1

query
SELECT *, _hoodie_partition_path FROM t ORDER BY id, p

-- Onto a key that is there.
statement expect_error(HUDILITE_DUPLICATE_KEY)
UPDATE t SET p = 'y' WHERE p = 'x'

statement expect_error(HUDILITE_DUPLICATE_KEY)
UPDATE t SET p = 'one' WHERE id = 1

-- Places exchanged.
query
UPDATE t SET p = CASE p WHEN 'x' THEN 'y' ELSE 'x' END WHERE id = 1

query
SELECT *, count(*) OVER () FROM t ORDER BY id, p

query
UPDATE t SET p = NULL WHERE id IN (SELECT 2) OR v = 'e'

query
SELECT *, _hoodie_partition_path FROM t ORDER BY id, p

-- Two rows of one key into a partition that a third one leaves.
statement
CREATE TABLE three (id INT, p STRING, v INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1

statement
INSERT INTO three VALUES (1, 'x', 1), (1, 'y', 2), (1, 'z', 3)

statement expect_error(HUDILITE_DUPLICATE_KEY)
UPDATE three SET p = CASE p WHEN 'x' THEN 'w' ELSE 'x' END

query
SELECT * FROM three ORDER BY p

statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO three t USING (SELECT * FROM VALUES (1, 'x', 1), (1, 'x', 7), (1, 'x', 8) AS s(id, p, v)) s ON t.id = s.id AND t.v = s.v
WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM three ORDER BY p

-- Without buckets, keys and partitions from a sub-query.
statement
CREATE TABLE sought (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)

statement
INSERT INTO sought VALUES (1, 'a', 'x'), (2, 'a', 'y'), (3, 'b', 'z')

query
UPDATE sought SET p = 'b' WHERE (id, p) IN (SELECT id, p FROM sought WHERE id < 2)

query
SELECT * FROM sought
