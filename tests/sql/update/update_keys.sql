-- Faults: F81
-- A row whose key is assigned leaves its old place and arrives at the new one, in one commit.
statement
CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4

statement
INSERT INTO t SELECT id, concat('v', id) FROM range(1, 21)

query
UPDATE t SET id = id + 100 WHERE id % 5 = 0

query
SELECT * FROM t ORDER BY id

-- Each key goes where another one leaves.
query
UPDATE t SET id = id + 1, v = concat(v, '+')

query
SELECT * FROM t ORDER BY id

-- The key of a row that stays is a duplicate, and so are two rows with one new key.
query expect_error(HUDILITE_DUPLICATE_KEY)
UPDATE t SET id = 3 WHERE id = 2

query expect_error(HUDILITE_DUPLICATE_KEY)
UPDATE t SET id = 500 WHERE id < 4

query expect_error(HUDILITE_NULL_KEY)
UPDATE t SET id = NULL WHERE id = 2

query expect_error(CAST_OVERFLOW_IN_TABLE_INSERT)
UPDATE t SET id = id + 3000000000 WHERE id = 2

-- A key that is set to itself stays where it is.
query
UPDATE t SET id = CASE WHEN id = 2 THEN -2 ELSE id END, v = 'as it was' WHERE id < 4

query
SELECT * FROM t ORDER BY id

query
SELECT count(*) FROM t WHERE _hoodie_record_key <> CAST(id AS STRING)

query
SELECT _change_type, id, v FROM hudilite_changes('t', '{instant 3 of t}') ORDER BY id, _change_type

-- The source of a MERGE gives the new key.
query
MERGE INTO t USING (SELECT * FROM VALUES (-2, 200, 'two hundred'), (4, 4, 'four'), (1000, 1, 'one') AS q(id, new, v)) s
ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = s.new, v = s.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.new, s.v)

query
SELECT * FROM t ORDER BY id

query
MERGE INTO t USING (SELECT * FROM VALUES ('four', 44), ('one', 11) AS q(v, id)) s
ON t.v = s.v WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED BY SOURCE AND t.id < 10 THEN UPDATE SET id = -t.id

query
SELECT * FROM t ORDER BY id

query expect_error(HUDILITE_MERGE_CARDINALITY)
MERGE INTO t USING (SELECT * FROM VALUES (11, 912), (11, 914) AS q(id, new)) s
ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = s.new

-- An inserted row takes a key that leaves.
query
MERGE INTO t USING (SELECT * FROM VALUES (11, 'one', 912), (999, 'new', 11) AS q(id, v, new)) s
ON t.id = s.id AND t.v = s.v WHEN MATCHED THEN UPDATE SET id = s.new WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.new, s.v)

query
SELECT * FROM t WHERE id IN (11, 912) ORDER BY id

query
CALL verify(table => 't', level => 'rows')

-- A key of two columns, of which one is the partition.
statement
CREATE TABLE two (a STRING, b DATE, n INT, PRIMARY KEY (a, b)) USING hudilite PARTITIONED BY (b) WITH BUCKETS 2 ON (a)

statement
INSERT INTO two VALUES ('x', DATE '2024-01-01', 1), ('x', DATE '2024-01-02', 2), ('y', DATE '2024-01-01', 3)

query
UPDATE two SET a = concat(a, n), b = date_add(b, 1) WHERE n > 1

query
UPDATE two SET b = CASE b WHEN DATE '2024-01-01' THEN DATE '2024-01-03' ELSE DATE '2024-01-01' END

query
SELECT *, _hoodie_record_key, _hoodie_partition_path FROM two ORDER BY n

-- A decimal of another scale that ON equates is the key that the row has.
statement
CREATE TABLE money (id DECIMAL(10, 2), v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2

statement
INSERT INTO money VALUES (1.50, 'old'), (2, 'old')

query
MERGE INTO money t USING (SELECT CAST(1.5 AS DECIMAL(5, 1)) id, 'new' v UNION ALL SELECT 3, 'three') s
ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM money ORDER BY id

-- Keys that are unique over all partitions cannot change.
statement
CREATE TABLE everywhere (id INT, p STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2 TBLPROPERTIES ('hudilite.index.global' = 'true')

statement expect_error(HUDILITE_UNSUPPORTED_CLAUSE)
UPDATE everywhere SET id = id + 1

query
UPDATE everywhere SET id = id, p = 'b'
