-- A changed partition column deletes there and inserts here, in one commit.
statement
CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 2

statement
INSERT INTO t VALUES (1, 'x', 'a'), (2, 'x', 'b'), (3, 'y', 'c'), (4, 'y', 'd')

query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'y', 'moved'), (3, 'y', 'stayed'), (4, 'new', 'moved to a new one') AS q(id, p, v)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

query
SELECT id, _hoodie_partition_path, _hoodie_commit_time FROM t ORDER BY id

-- Two rows change places.
query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'x'), (2, 'y') AS q(id, p)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET p = s.p

query
SELECT * FROM t

-- Onto a key that is there already.
statement
INSERT INTO t VALUES (1, 'z', 'in the way')

statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO t USING (SELECT * FROM VALUES (1) AS q(id)) s ON t.id = s.id WHEN MATCHED AND t.p = 'x' THEN UPDATE SET p = 'z'

-- Two rows of one key onto the same place.
statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO t USING (SELECT * FROM VALUES (1) AS q(id)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET p = 'w'

-- A move meets an insert.
statement expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO t USING (SELECT * FROM VALUES (2, 'x', 'moved'), (2, 'w', 'inserted') AS q(id, p, v)) s ON t.id = s.id AND t.p = s.p
WHEN NOT MATCHED AND s.p = 'w' THEN INSERT *
WHEN NOT MATCHED BY SOURCE AND t.id = 2 THEN UPDATE SET p = 'w'

query
SELECT * FROM t

-- The row in the way goes in the same statement.
query
MERGE INTO t USING (SELECT * FROM VALUES (1) AS q(id)) s ON t.id = s.id
WHEN MATCHED AND t.p = 'z' THEN DELETE
WHEN MATCHED THEN UPDATE SET p = 'z'

query
SELECT * FROM t

-- Rows that nobody matched may move too.
query
MERGE INTO t USING (SELECT * FROM VALUES (2) AS q(id)) s ON t.id = s.id WHEN NOT MATCHED BY SOURCE THEN UPDATE SET p = 'archive'

query
SELECT * FROM t

-- To the null partition.
query
MERGE INTO t USING (SELECT * FROM VALUES (3, CAST(NULL AS STRING)) AS q(id, p)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET p = s.p

query
SELECT *, _hoodie_partition_path FROM t
