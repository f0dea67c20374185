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
