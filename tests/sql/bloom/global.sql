-- Hand: keys of all partitions
-- A key that is unique over all partitions.
statement
CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p)
TBLPROPERTIES ('hudilite.index.global' = 'true')

statement
INSERT INTO t VALUES (1, 'a', 'one'), (2, 'a', 'two'), (3, 'b', 'three'), (4, NULL, 'four')

-- Both are there in other partitions.
statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (1, 'b', 'again')

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t BY NAME SELECT 'new' AS p, 'again' AS v, 4 AS id

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (1, 'a', 'in its own')

-- Two of the statement's own rows.
statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (5, 'a', 'once'), (5, 'b', 'twice')

statement expect_error(HUDILITE_NULL_KEY)
INSERT INTO t VALUES (CAST(NULL AS INT), 'a', 'no key')

statement
INSERT INTO t VALUES (5, 'c', 'five')

query
SELECT * FROM t ORDER BY id

statement
SET spark.hudilite.insert.duplicates = keep

statement
INSERT INTO t VALUES (1, 'b', 'kept out'), (6, 'b', 'six')

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (7, 'a', 'once'), (7, 'b', 'twice')

query
SELECT * FROM t ORDER BY id

statement
SET spark.hudilite.insert.duplicates = update

statement
INSERT INTO t VALUES (1, 'b', 'moved'), (2, 'a', 'changed'), (4, 'a', 'from null'), (7, 'd', 'seven')

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (1, 'a', 'once'), (1, 'b', 'twice')

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t VALUES (8, 'a', 'once'), (8, 'b', 'twice')

query
SELECT * FROM t ORDER BY id

statement
RESET spark.hudilite.insert.duplicates

query
SELECT count(*) FROM t WHERE _hoodie_partition_path <> concat('p=', p)

-- ON = key: found wherever it lies.
query
MERGE INTO t USING (SELECT * FROM VALUES (1, 'c', 'merged'), (9, 'c', 'nine') AS q(id, p, v)) s
ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO t USING (SELECT * FROM VALUES (10, 'a', 'once'), (10, 'b', 'twice') AS q(id, p, v)) s
ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

-- ON = key and partition: what does not match may lie elsewhere.
query expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO t USING (SELECT * FROM VALUES (2, 'a', 'matched'), (1, 'a', 'is in c') AS q(id, p, v)) s
ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
MERGE INTO t USING (SELECT * FROM VALUES (2, 'a', 'matched'), (10, 'a', 'ten') AS q(id, p, v)) s
ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
MERGE INTO t USING (SELECT * FROM VALUES (2, 'a'), (1, 'a') AS q(id, p)) s
ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN DELETE

-- A key other than ON's, and an ON without the key.
query expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO t USING (SELECT 99 AS id) s ON t.id = s.id
WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (s.id - 90, 'e', 'is in c')

query expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO t USING (SELECT 1 AS id, 'unknown' AS v) s ON t.v = s.v
WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (s.id, 'e', s.v)

query expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO t USING (SELECT * FROM VALUES (1, 'a'), (1, 'c') AS q(id, p)) s
ON t.id = s.id AND t.p = s.p
WHEN MATCHED THEN UPDATE SET p = 'd' WHEN NOT MATCHED THEN INSERT (id, p) VALUES (s.id, s.p)

-- What the statement itself moves away is still there; what it deletes in the same partition is not.
query expect_error(HUDILITE_DUPLICATE_KEY)
MERGE INTO t USING (SELECT * FROM VALUES (9, 'c', 'nine'), (9, 'c', 'other') AS q(id, p, v)) s
ON t.id = s.id AND t.v = s.v WHEN MATCHED THEN UPDATE SET p = 'd' WHEN NOT MATCHED THEN INSERT *

query
MERGE INTO t USING (SELECT * FROM VALUES (9, 'c', 'nine'), (9, 'c', 'other') AS q(id, p, v)) s
ON t.id = s.id AND t.v = s.v WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *

query
UPDATE t SET p = 'z' WHERE p = 'c'

query
SELECT * FROM t ORDER BY id

-- What is replaced bars nothing.
statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT OVERWRITE t PARTITION (p = 'b') VALUES (1, 'is in z')

statement
INSERT OVERWRITE t PARTITION (p = 'z') VALUES (1, 'replaced'), (20, 'new')

statement
INSERT INTO t REPLACE WHERE p IN ('a', 'b') SELECT * FROM VALUES (3, 'a', 'from b'), (4, 'b', 'from a') AS q(id, p, v)

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT INTO t REPLACE WHERE p IN ('a', 'b') SELECT * FROM VALUES (3, 'a', 'from b'), (1, 'b', 'from z') AS q(id, p, v)

query
SELECT * FROM t ORDER BY id

statement
SET spark.sql.sources.partitionOverwriteMode = dynamic

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT OVERWRITE t VALUES (1, 'b', 'is in z')

statement
INSERT OVERWRITE t VALUES (3, 'a', 'own place'), (7, 'd', 'own place')

statement
RESET spark.sql.sources.partitionOverwriteMode

query
SELECT * FROM t ORDER BY id

statement
INSERT OVERWRITE t VALUES (1, 'a', 'all'), (3, 'c', 'anew')

statement expect_error(HUDILITE_DUPLICATE_KEY)
INSERT OVERWRITE t VALUES (1, 'a', 'once'), (1, 'b', 'twice')

query
SELECT * FROM t ORDER BY id

query
CALL verify(table => 't', level => 'rows')
