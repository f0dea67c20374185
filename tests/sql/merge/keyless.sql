-- UPDATE, DELETE and MERGE of tables without a key: rows are found by any condition.
statement
CREATE TABLE t (id INT, n INT, v STRING, p STRING) USING hudilite PARTITIONED BY (p)

statement
INSERT INTO t VALUES (1, 1, 'a', 'x'), (1, 2, 'a', 'x'), (2, 3, 'b', 'y'), (3, 4, 'c', 'y'), (NULL, 5, 'd', 'z')

statement
INSERT INTO t VALUES (1, 6, 'e', 'y')

query
UPDATE t SET v = concat(v, '!') WHERE id = 1

query
UPDATE t SET p = 'w', n = n + 10 WHERE n = 2

query
UPDATE t SET v = 'sub' WHERE n IN (SELECT max(n) FROM t)

query
SELECT * FROM t

-- Several rows for one source row: each is updated.
query
MERGE INTO t USING (SELECT 1 id, 'm' v UNION ALL SELECT 9, 'new') s ON t.id = s.id
WHEN MATCHED AND t.n = 6 THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v, n = t.n + 100
WHEN NOT MATCHED THEN INSERT (id, n, v, p) VALUES (s.id, 0, s.v, 'x')

query
SELECT * FROM t

-- Equal source rows without a match are inserted, each of them.
query
MERGE INTO t USING (SELECT * FROM VALUES (20, 0, 'twice', 'x'), (20, 0, 'twice', 'x'), (NULL, 5, 'd', 'z') AS q(id, n, v, p)) s
ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM t

-- Conditions that are no equalities, and rows of the table without a match.
query
MERGE INTO t USING (SELECT 100 low) s ON t.n >= s.low
WHEN MATCHED THEN UPDATE SET p = 'v' WHEN NOT MATCHED BY SOURCE AND t.id = 20 THEN DELETE
WHEN NOT MATCHED BY SOURCE AND t.id = 3 THEN UPDATE SET v = 'unmatched'

query
SELECT * FROM t

query
DELETE FROM t WHERE id IS NULL

query
DELETE FROM t WHERE n < (SELECT min(n) + 2 FROM t)

query
SELECT * FROM t

statement
CREATE TABLE m (id INT, n INT, v STRING, p STRING) USING hudilite PARTITIONED BY (p) TBLPROPERTIES (type = 'mor')

statement
INSERT INTO m VALUES (1, 1, 'a', 'x'), (1, 2, 'a', 'x'), (2, 3, 'b', 'y'), (3, 4, 'c', 'y'), (NULL, 5, 'd', 'z')

statement
INSERT INTO m VALUES (1, 6, 'e', 'y')

query
UPDATE m SET v = concat(v, '!') WHERE id = 1

query
UPDATE m SET p = 'w', n = n + 10 WHERE n = 2

query
UPDATE m SET v = 'sub' WHERE n IN (SELECT max(n) FROM m)

query
SELECT * FROM m

-- Several rows for one source row: each is updated.
query
MERGE INTO m USING (SELECT 1 id, 'm' v UNION ALL SELECT 9, 'new') s ON m.id = s.id
WHEN MATCHED AND m.n = 6 THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v, n = m.n + 100
WHEN NOT MATCHED THEN INSERT (id, n, v, p) VALUES (s.id, 0, s.v, 'x')

query
SELECT * FROM m

-- Equal source rows without a match are inserted, each of them.
query
MERGE INTO m USING (SELECT * FROM VALUES (20, 0, 'twice', 'x'), (20, 0, 'twice', 'x'), (NULL, 5, 'd', 'z') AS q(id, n, v, p)) s
ON m.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *

query
SELECT * FROM m

-- Conditions that are no equalities, and rows of the table without a match.
query
MERGE INTO m USING (SELECT 100 low) s ON m.n >= s.low
WHEN MATCHED THEN UPDATE SET p = 'v' WHEN NOT MATCHED BY SOURCE AND m.id = 20 THEN DELETE
WHEN NOT MATCHED BY SOURCE AND m.id = 3 THEN UPDATE SET v = 'unmatched'

query
SELECT * FROM m

query
DELETE FROM m WHERE id IS NULL

query
DELETE FROM m WHERE n < (SELECT min(n) + 2 FROM m)

query
SELECT * FROM m

-- Two source rows for one row of the table.
statement expect_error(HUDILITE_MERGE_CARDINALITY)
MERGE INTO t USING (SELECT 3 id, 'x' v UNION ALL SELECT 3, 'y') s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v

statement expect_error(HUDILITE_MERGE_CARDINALITY)
MERGE INTO m USING (SELECT 3 id, 'x' v UNION ALL SELECT 3, 'y') s ON m.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v

query
SELECT * FROM t

-- A row that is inserted gets a key of its own, also where ON compares the keys.
statement
CREATE TABLE k (id INT, v STRING) USING hudilite

statement
INSERT INTO k VALUES (1, 'a'), (2, 'b')

query
MERGE INTO k t USING (SELECT * FROM VALUES ('foreign', 3, 'c'), ('foreign', 4, 'd'), (NULL, 5, 'e') AS q(rk, id, v)) s ON t._hoodie_record_key = s.rk
WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)

query
MERGE INTO k t USING (SELECT _hoodie_record_key rk, id, concat(v, '!') v FROM k WHERE id < 4) s ON t._hoodie_record_key = s.rk
WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)

query
SELECT id, v FROM k ORDER BY id

query
SELECT count(DISTINCT _hoodie_record_key), count_if(_hoodie_record_key = 'foreign') FROM k
